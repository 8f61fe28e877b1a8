module portolan.dev/peers/deppy

go 1.26.0

require github.com/operator-framework/deppy v0.3.0

require github.com/go-air/gini v1.0.4 // indirect

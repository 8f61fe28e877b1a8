module portolan.dev/rig/pause

go 1.26.0

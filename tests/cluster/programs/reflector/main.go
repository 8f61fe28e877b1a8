// Command reflector keeps caches of Installed like client-go. Each line of its input is the name of a file, to
// which it writes the content of the caches.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var installed = schema.GroupVersionResource{
	Group: "packages.operators.coreos.com", Version: "v2alpha1", Resource: "installed",
}

// kept is one cache, and how often it asked.
type kept struct {
	name           string
	store          cache.Store
	lists          atomic.Int64
	watches        atomic.Int64
	initialWatches atomic.Int64
}

type written struct {
	Items          []any `json:"items"`
	Lists          int64 `json:"lists"`
	Watches        int64 `json:"watches"`
	InitialWatches int64 `json:"initialWatches"`
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 100, 200
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	all := []*kept{
		keep(ctx, client, "all", "", ""),
		keep(ctx, client, "harbor", "harbor", ""),
		keep(ctx, client, "ships", "", "ships=yes"),
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		told := map[string]written{}
		for _, one := range all {
			told[one.name] = one.written()
		}
		text, err := json.Marshal(told)
		if err != nil {
			return err
		}
		part := lines.Text() + ".part"
		if err := os.WriteFile(part, text, 0o600); err != nil {
			return err
		}
		if err := os.Rename(part, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// keep follows a part of them until the context ends.
func keep(ctx context.Context, client dynamic.Interface, name, namespace, labels string) *kept {
	one := &kept{name: name, store: cache.NewStore(cache.MetaNamespaceKeyFunc)}
	objects := client.Resource(installed).Namespace(namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			one.lists.Add(1)
			options.LabelSelector = labels
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			one.watches.Add(1)
			if options.SendInitialEvents != nil && *options.SendInitialEvents {
				one.initialWatches.Add(1)
			}
			options.LabelSelector = labels
			return objects.Watch(ctx, options)
		},
	}
	reflector := cache.NewReflector(source, &unstructured.Unstructured{}, one.store, 0)
	go reflector.RunWithContext(ctx)
	return one
}

func (one *kept) written() written {
	items := []any{}
	for _, item := range one.store.List() {
		items = append(items, item.(*unstructured.Unstructured).Object)
	}
	return written{items, one.lists.Load(), one.watches.Load(), one.initialWatches.Load()}
}

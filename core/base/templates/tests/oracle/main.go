// The answers that the cases of portolan-core-templates are held against, from the library of Open Cluster
// Management itself, over a cluster that has only the objects of the cases.
//
//	go run . FILE          fills in the answers
//	go run . -check FILE   fails where an answer is another
//	go run . -functions    prints the functions that sprig has and the library hands on
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/stolostron/go-template-utils/v7/pkg/templates"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	discovery "k8s.io/client-go/discovery/fake"
	dynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/testing"
	"k8s.io/klog"
)

type table struct {
	Objects []json.RawMessage `json:"objects"`
	Cases   []*entry          `json:"cases"`
}

// Either a template or a document; and either what becomes of it or an error.
type entry struct {
	Template *string         `json:"template,omitempty"`
	Document json.RawMessage `json:"document,omitempty"`
	Yaml     string          `json:"yaml,omitempty"`
	Text     *string         `json:"text,omitempty"`
	Json     json.RawMessage `json:"json,omitempty"`
	Error    string          `json:"error,omitempty"`
}

func main() {
	log.SetFlags(0)
	arguments := os.Args[1:]
	if arguments[0] == "-functions" {
		fmt.Println(strings.Join(templates.AvailableSprigFunctions(), "\n"))
		return
	}
	check := arguments[0] == "-check"
	path := arguments[len(arguments)-1]
	before, err := os.ReadFile(path)
	must(err)
	var all table
	must(json.Unmarshal(before, &all))
	said := listen()
	for _, one := range all.Cases {
		one.answer(all.resolver(), said)
	}
	var after bytes.Buffer
	encoder := json.NewEncoder(&after)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	must(encoder.Encode(all))
	if !check {
		must(os.WriteFile(path, after.Bytes(), 0o644))
	} else if !bytes.Equal(before, after.Bytes()) {
		log.Fatalf("%s has other answers", path)
	}
	log.Printf("%d cases", len(all.Cases))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func (one *entry) answer(resolver *templates.TemplateResolver, said *said) {
	one.Text, one.Json, one.Yaml, one.Error = nil, nil, "", ""
	*said = saidNothing
	if one.Template != nil {
		// The library reads what comes out as YAML, and refuses what is none; here the text itself is asked for.
		_, err := resolver.ResolveTemplate([]byte(*one.Template), nil, &templates.ResolveOptions{InputIsYAML: true})
		if said.text != nil {
			text := *said.text
			one.Text = &text
		} else {
			one.Error = cause(err)
		}
		return
	}
	result, err := resolver.ResolveTemplate(one.Document, nil, nil)
	one.Yaml = said.yaml
	if err != nil {
		one.Error = cause(err)
	}
	one.Json = result.ResolvedJSON
}

// An error without the whole template, which the library puts in front of it.
func cause(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return err.Error()
}

// What the library logs of an evaluation: the only place where it tells its texts before they are read.
type said struct {
	yaml string
	text *string
}

var saidNothing = said{}

func listen() *said {
	flags := flag.NewFlagSet("", flag.ExitOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"v": "3", "logtostderr": "false", "stderrthreshold": "FATAL"} {
		must(flags.Set(name, value))
	}
	all := &said{}
	klog.SetOutput(all)
	return all
}

func (all *said) Write(line []byte) (int, error) {
	_, message, _ := strings.Cut(string(line), "] ")
	if text, is := strings.CutPrefix(message, "resolved template str: "); is {
		text = strings.TrimSuffix(text, " \n")
		all.text = &text
	} else if yaml, is := strings.CutPrefix(message, "Initial template str to resolve : "); is {
		all.yaml = strings.TrimSuffix(yaml, " \n")
	} else if yaml, is := strings.CutPrefix(message, "\n processed data :\n"); is {
		all.yaml = yaml
	}
	return len(line), nil
}

// Each case has a resolver of its own, as one keeps what it has read.
func (all *table) resolver() *templates.TemplateResolver {
	objects := []runtime.Object{}
	lists := map[schema.GroupVersionResource]string{}
	resources := map[string]*metav1.APIResourceList{}
	for _, raw := range all.Objects {
		object := &unstructured.Unstructured{}
		must(object.UnmarshalJSON(raw))
		objects = append(objects, object)
		kind := object.GroupVersionKind()
		plural := strings.ToLower(kind.Kind) + "s"
		resource := kind.GroupVersion().WithResource(plural)
		if _, is := lists[resource]; is {
			continue
		}
		lists[resource] = kind.Kind + "List"
		version := object.GetAPIVersion()
		if resources[version] == nil {
			resources[version] = &metav1.APIResourceList{GroupVersion: version}
		}
		resources[version].APIResources = append(resources[version].APIResources, metav1.APIResource{
			Name: plural, Kind: kind.Kind, Namespaced: object.GetNamespace() != "", Verbs: metav1.Verbs{"get", "list", "watch"},
		})
	}
	served := &testing.Fake{}
	for _, list := range resources {
		served.Resources = append(served.Resources, list)
	}
	client := dynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects...)
	resolver, err := templates.NewResolverWithClients(client, &discovery.FakeDiscovery{Fake: served}, templates.Config{})
	must(err)
	return resolver
}

// The answers that the cases of portolan-core-templates are held against, from text/template and sprig
// themselves, and from the YAML library of Go. What reads objects, and what is done to a document before and
// after, is played after the library of Open Cluster Management.
//
//	go run . FILE          fills in the answers
//	go run . -check FILE   fails where an answer is another
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/spf13/cast"
	"gopkg.in/yaml.v3"
)

type object = map[string]any

type table struct {
	Objects []object `json:"objects"`
	Cases   []*entry `json:"cases"`
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

// The functions of sprig that the library hands on, but for those that are not the same each time.
var handedOn = strings.Fields(`
	cat contains hasPrefix hasSuffix lower mustRegexFind mustRegexFindAll mustRegexMatch quote regexFind
	regexFindAll regexMatch regexQuoteMeta replace substr trim trimAll trunc upper
	concat join sortAlpha split splitn splitList add div mul round sub until untilStep
	date mustToDate toDate default empty fromJson mustFromJson mustToJson mustToRawJson ternary toJson toRawJson
	append has list mustAppend mustHas mustPrepend prepend mustSlice slice
	dict dig get hasKey keys merge mustMerge set unset values fail semver semverCompare
	first mustFirst last mustLast rest initial reverse compact uniq without coalesce all any tuple
	typeOf typeIs kindOf kindIs deepEqual toString toStrings int int64 float64 sha1sum sha256sum sha512sum
	trimPrefix trimSuffix nospace repeat nindent squote add1 mod max min floor ceil pluck pick omit
	regexReplaceAll mustRegexReplaceAll regexReplaceAllLiteral`)

var (
	typed = regexp.MustCompile(`:\s+(?:[\|>]-?\s+)?(?:'?\s*)(\{\{-?(?:.*\|\s*(?:toInt|toBool|toLiteral)|` +
		`(?:.*(?:copyConfigMapData|copySecretData))).*\}\})(?:\s*'?)`)
	indented = regexp.MustCompile(`( *)(?:'|")?(\{\{.*\| *autoindent *-?\}\})`)
)

func main() {
	log.SetFlags(0)
	arguments := os.Args[1:]
	check := arguments[0] == "-check"
	path := arguments[len(arguments)-1]
	before, err := os.ReadFile(path)
	must(err)
	var all table
	must(json.Unmarshal(before, &all))
	functions := all.functions()
	for _, one := range all.Cases {
		one.answer(functions)
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

func (one *entry) answer(functions template.FuncMap) {
	one.Text, one.Json, one.Yaml, one.Error = nil, nil, "", ""
	if one.Template != nil {
		text, err := executed(*one.Template, functions)
		if err != nil {
			one.Error = err.Error()
		} else {
			one.Text = &text
		}
		return
	}
	answer, err := one.resolved(functions)
	if err != nil {
		one.Error = err.Error()
	}
	one.Json = answer
}

func (one *entry) resolved(functions template.FuncMap) (json.RawMessage, error) {
	var document any
	if err := yaml.Unmarshal(one.Document, &document); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		return nil, err
	}
	one.Yaml = rewritten(text.String())
	out, err := executed(one.Yaml, functions)
	if err != nil {
		return nil, err
	}
	var resolved any
	if err := yaml.Unmarshal([]byte(out), &resolved); err != nil {
		return nil, err
	}
	return json.Marshal(resolved)
}

func rewritten(text string) string {
	text = typed.ReplaceAllString(text, ": $1")
	out := text
	for _, found := range indented.FindAllStringSubmatch(text, -1) {
		action := strings.Replace(found[2], "autoindent", fmt.Sprintf("indent %d", len(found[1])), 1)
		out = strings.Replace(out, found[2], action, 1)
	}
	return out
}

func executed(text string, functions template.FuncMap) (string, error) {
	parsed, err := template.New("tmpl").Funcs(functions).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = parsed.Execute(&out, struct{}{})
	return out.String(), err
}

func (all *table) functions() template.FuncMap {
	sprigs := sprig.FuncMap()
	functions := template.FuncMap{
		"fromConfigMap":     func(namespace, name, key string) (string, error) { return all.entry("ConfigMap", namespace, name, key) },
		"fromSecret":        func(namespace, name, key string) (string, error) { return all.entry("Secret", namespace, name, key) },
		"copyConfigMapData": func(namespace, name string) (string, error) { return all.data("ConfigMap", namespace, name) },
		"copySecretData":    func(namespace, name string) (string, error) { return all.data("Secret", namespace, name) },
		"fromClusterClaim":  all.claim,
		"lookup":            all.lookup,
		"base64enc":         func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
		"base64dec":         decoded,
		"atoi":              func(text string) int { number, _ := strconv.Atoi(text); return number },
		"toInt":             func(value any) int { return cast.ToInt(value) },
		"toBool":            func(text string) bool { is, _ := strconv.ParseBool(text); return is },
		"toLiteral":         literal,
		"indent":            indent,
		"autoindent": func(string) (string, error) {
			return "", errors.New("an unexpected error occurred where autoindent could not be processed")
		},
		"protect": func(string) (string, error) {
			return "", errors.New("the protect template function is not enabled in this mode")
		},
		"fromYaml": func(text string) (value any, err error) {
			err = yaml.Unmarshal([]byte(text), &value)
			return value, err
		},
		"toYaml": func(value any) (string, error) {
			var out bytes.Buffer
			encoder := yaml.NewEncoder(&out)
			encoder.SetIndent(2)
			err := encoder.Encode(value)
			return strings.TrimSuffix(out.String(), "\n"), err
		},
	}
	for _, name := range handedOn {
		functions[name] = sprigs[name]
	}
	return functions
}

func decoded(text string) string {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func literal(text string) (string, error) {
	if strings.Contains(text, "\n") {
		return "", errors.New("new lines are not allowed in the string passed to the toLiteral function")
	}
	return text, nil
}

func indent(spaces int, text string) string {
	padding := "\n" + strings.Repeat(" ", spaces)
	return strings.TrimSpace(padding + strings.ReplaceAll(text, "\n", padding))
}

func (all *table) find(version, kind, namespace, name string) object {
	for _, one := range all.Objects {
		metadata := one["metadata"].(object)
		space, _ := metadata["namespace"].(string)
		if one["apiVersion"] == version && one["kind"] == kind && space == namespace && metadata["name"] == name {
			return one
		}
	}
	return nil
}

func (all *table) required(kind, namespace, name string) (object, error) {
	if found := all.find("v1", kind, namespace, name); found != nil {
		return found, nil
	}
	absent := fmt.Sprintf("%ss %q not found", strings.ToLower(kind), name)
	if kind == "Secret" {
		return nil, fmt.Errorf("failed to get the secret %s from %s: %s", name, namespace, absent)
	}
	return nil, fmt.Errorf("failed getting the ConfigMap %s from %s: %s", name, namespace, absent)
}

func (all *table) entry(kind, namespace, name, key string) (string, error) {
	if namespace == "" || name == "" || key == "" {
		return "", errors.New("the input is invalid: namespace, name, and key must be specified")
	}
	found, err := all.required(kind, namespace, name)
	if err != nil {
		return "", err
	}
	data, _ := found["data"].(object)
	text, _ := data[key].(string)
	return text, nil
}

func (all *table) data(kind, namespace, name string) (string, error) {
	if namespace == "" || name == "" {
		return "", errors.New("the input is invalid: namespace and name must be specified")
	}
	found, err := all.required(kind, namespace, name)
	if err != nil {
		return "", err
	}
	data, _ := found["data"].(object)
	text, err := json.Marshal(data)
	return string(text), err
}

func (all *table) claim(name string) (string, error) {
	if name == "" {
		return "", errors.New("a claim name must be provided")
	}
	found := all.find("cluster.open-cluster-management.io/v1alpha1", "ClusterClaim", "", name)
	if found == nil {
		return "", fmt.Errorf("clusterclaims.cluster.open-cluster-management.io %q not found", name)
	}
	value, _ := found["spec"].(object)["value"].(string)
	return value, nil
}

// Objects are as clients of Go read them: whole numbers stay whole.
func whole(value any) any {
	switch value := value.(type) {
	case object:
		out := object{}
		for key, inner := range value {
			out[key] = whole(inner)
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range value {
			out = append(out, whole(inner))
		}
		return out
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	}
	return value
}

func (all *table) lookup(version, kind, namespace, name string, labels ...string) (object, error) {
	if version == "" || kind == "" {
		return nil, errors.New("the apiVersion and kind are required")
	}
	if name != "" {
		found := all.find(version, kind, namespace, name)
		if found == nil {
			return nil, nil
		}
		return whole(found).(object), nil
	}
	items := []any{}
	for _, one := range all.Objects {
		metadata := one["metadata"].(object)
		in := namespace == "" || metadata["namespace"] == namespace
		if one["apiVersion"] == version && one["kind"] == kind && in && selected(metadata, labels) {
			items = append(items, whole(one))
		}
	}
	return object{"items": items}, nil
}

// Selectors of the form `key=value`, which is all that the cases use.
func selected(metadata object, selectors []string) bool {
	labels, _ := metadata["labels"].(object)
	for _, selector := range strings.Split(strings.Join(selectors, ","), ",") {
		key, value, isPair := strings.Cut(selector, "=")
		if isPair && labels[key] != value {
			return false
		}
	}
	return true
}

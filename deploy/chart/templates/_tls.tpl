{{- /*
Certificates of the services. `generate` creates them with Helm, `cert-manager` with cert-manager, and `provided`
expects the Secrets.
*/ -}}

{{- /* The services that have a certificate, as JSON. */ -}}
{{- define "portolan.tlsServices" -}}
{{- $services := list "approval" "health" "resolver" -}}
{{- range $name := list "console" "diagnosis" -}}
{{- if include "portolan.on" (list $ $name) }}{{ $services = append $services $name }}{{ end -}}
{{- end -}}
{{- dict "services" $services | toJson -}}
{{- end -}}

{{- /* The DNS names of a certificate, as JSON: include "portolan.dnsNames" (list $ "console"). */ -}}
{{- define "portolan.dnsNames" -}}
{{- $root := index . 0 -}}
{{- $host := printf "portolan-%s.%s.svc" (index . 1) $root.Release.Namespace -}}
{{- $names := list $host (printf "%s.cluster.local" $host) -}}
{{- if eq (index . 1) "console" -}}
{{- $own := include "portolan.consoleHost" $root | regexFind "^[^:]+" -}}
{{- $names = concat $names (list "localhost" $own) | uniq -}}
{{- end -}}
{{- dict "names" $names | toJson -}}
{{- end -}}

{{- /* Is not empty if an object belongs to this release: include "portolan.owned" (list $ $object). */ -}}
{{- define "portolan.owned" -}}
{{- $annotations := dig "metadata" "annotations" (dict) (index . 1) | default dict -}}
{{- if eq (get $annotations "meta.helm.sh/release-name") (index . 0).Release.Name }}true{{ end -}}
{{- end -}}

{{- /* Is not empty if a generated certificate can be used for years: include "portolan.current" (list $ $object "names"). */ -}}
{{- define "portolan.current" -}}
{{- $annotations := dig "metadata" "annotations" (dict) (index . 1) | default dict -}}
{{- $after := get $annotations "portolan.dev/renew-after" | default "0" | int64 -}}
{{- if and (gt $after (now | unixEpoch | int64)) (eq (get $annotations "portolan.dev/dns-names") (index . 2)) }}true{{ end -}}
{{- end -}}

{{- /* The volume of the CA that clients of the services trust, without its name. */ -}}
{{- define "portolan.caVolume" -}}
{{- if eq .Values.tls.source "cert-manager" -}}
- secret:
    items:
    - key: ca.crt
      path: ca.crt
    secretName: portolan-resolver-tls
{{- else -}}
- configMap:
    name: portolan-ca
{{- end -}}
{{- end -}}

{{- /*
Components: which of them run. A component runs if its value `enabled` is true, if the profile contains it, or if
another component needs it.
*/ -}}

{{- define "portolan.resolved" -}}
{{- $look := list "console" "diagnosis" -}}
{{- $manage := concat $look (list "controller" "plans" "certificates" "operators" "webhook") -}}
{{- $profile := ternary $manage $look (eq .Values.profile "manage") -}}
{{- /* Components that need others come before them. */ -}}
{{- $all := list "approvals" "installs" "updater" "operators" "v2alpha1" "webhook" "plans" "certificates" "controller" "apiserver" "console" "diagnosis" "monitoring" -}}
{{- $needs := dict
  "approvals" (list "installs")
  "installs" (list "plans" "v2alpha1")
  "updater" (list "operators")
  "operators" (list "plans")
  "v2alpha1" (list "webhook")
  "webhook" (list "controller")
  "plans" (list "controller")
  "certificates" (list "controller")
-}}
{{- $on := dict -}}
{{- $off := dict -}}
{{- range $name := $all -}}
{{- $enabled := (index $.Values $name).enabled -}}
{{- if kindIs "bool" $enabled -}}
{{- if $enabled }}{{ $_ := set $on $name (printf "%s.enabled is true" $name) }}{{ else }}{{ $_ := set $off $name true }}{{ end -}}
{{- else if has $name $profile -}}
{{- $_ := set $on $name (printf "it is part of the profile %s" $.Values.profile) -}}
{{- end -}}
{{- end -}}
{{- range $name := $all -}}
{{- if hasKey $on $name -}}
{{- range $needed := index $needs $name -}}
{{- if hasKey $off $needed -}}
{{- fail (printf "\n\n%s needs %s, and %s.enabled is false. %s runs because %s.\nSet %s.enabled to false, or remove %s.enabled.\n" $name $needed $needed $name (index $on $name) $name $needed) -}}
{{- end -}}
{{- if not (hasKey $on $needed) -}}
{{- $_ := set $on $needed (printf "%s needs it" $name) -}}
{{- end -}}
{{- end -}}
{{- /* Only bundles with webhooks need certificates, so this component can be disabled. */ -}}
{{- if and (eq $name "operators") (not (hasKey $off "certificates")) -}}
{{- $_ := set $on "certificates" "operators needs it" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $on | toJson -}}
{{- end -}}

{{- /* Is not empty if a component runs: include "portolan.on" (list $ "plans"). */ -}}
{{- define "portolan.on" -}}
{{- $on := include "portolan.resolved" (index . 0) | fromJson -}}
{{- if hasKey $on (index . 1) }}true{{ end -}}
{{- end -}}

{{- define "portolan.labels" -}}
app.kubernetes.io/instance: {{ $.Release.Name | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service | quote }}
app.kubernetes.io/part-of: portolan
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name ($.Chart.Version | replace "+" "_") | quote }}
{{- end -}}

{{- define "portolan.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Is not empty on OpenShift, which assigns users and groups. */ -}}
{{- define "portolan.openshift" -}}
{{- if kindIs "bool" .Values.openshift.enabled -}}
{{- if .Values.openshift.enabled }}true{{ end -}}
{{- else if .Capabilities.APIVersions.Has "security.openshift.io/v1" -}}
true
{{- end -}}
{{- end -}}

{{- /* The name by which browsers reach the console. */ -}}
{{- define "portolan.consoleHost" -}}
{{- with .Values.console -}}
{{- if .host }}{{ .host }}{{ else if and .ingress.enabled .ingress.host }}{{ .ingress.host }}{{ else if and .route.enabled .route.host }}{{ .route.host }}{{ else }}localhost:8443{{ end -}}
{{- end -}}
{{- end -}}

{{- /*
Values that all Pods have. `pods` sets them for all components, and a component can replace or extend them: lists of
arguments, variables and volumes are added, everything else is replaced. The argument of each template is a list of the
root and the name of a component.
*/ -}}

{{- /* A setting of a component, or else of all Pods, as JSON. Empty if it is not set. */ -}}
{{- define "portolan.setting" -}}
{{- $own := index (index . 0).Values (index . 1) -}}
{{- $value := index $own (index . 2) -}}
{{- if not $value -}}
{{- $value = index (index . 0).Values.pods (index . 2) -}}
{{- end -}}
{{- if $value }}{{ dict "value" $value | toJson }}{{ end -}}
{{- end -}}

{{- /* A list of all Pods, and then the list of a component. */ -}}
{{- define "portolan.both" -}}
{{- $own := index (index . 0).Values (index . 1) -}}
{{- $all := concat (index (index . 0).Values.pods (index . 2) | default list) (index $own (index . 2) | default list) -}}
{{- with $all }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "portolan.replicas" -}}
{{- $own := index (index . 0).Values (index . 1) -}}
{{- $replicas := index $own "replicas" -}}
{{- if kindIs "invalid" $replicas }}{{ index . 2 }}{{ else }}{{ int $replicas }}{{ end -}}
{{- end -}}

{{- define "portolan.args" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $args := list -}}
{{- if and $root.Values.registries (has $component (list "resolver" "diagnosis" "console")) -}}
{{- range $root.Values.registries }}{{ $args = append $args (printf "--registries=%s" .) }}{{ end -}}
{{- end -}}
{{- $own := index $root.Values $component -}}
{{- with concat $args ($own.extraArgs | default list) }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "portolan.env" -}}
{{- $root := index . 0 -}}
{{- $own := index $root.Values (index . 1) -}}
{{- $env := list -}}
{{- with $own.log | default $root.Values.log.filter }}{{ $env = append $env (dict "name" "PORTOLAN_LOG" "value" .) }}{{ end -}}
{{- with $root.Values.log.format }}{{ $env = append $env (dict "name" "PORTOLAN_LOG_FORMAT" "value" .) }}{{ end -}}
{{- with concat $env ($root.Values.pods.extraEnv | default list) ($own.extraEnv | default list) }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "portolan.volumeMounts" -}}
{{- include "portolan.both" (append . "extraVolumeMounts") -}}
{{- end -}}

{{- define "portolan.volumes" -}}
{{- include "portolan.both" (append . "extraVolumes") -}}
{{- end -}}

{{- define "portolan.resources" -}}
{{- with include "portolan.setting" (append . "resources") }}{{ (fromJson .).value | toYaml }}{{ end -}}
{{- end -}}

{{- define "portolan.spread" -}}
{{- with include "portolan.setting" (append . "topologySpreadConstraints") }}{{ (fromJson .).value | toYaml }}{{ end -}}
{{- end -}}

{{- define "portolan.podAnnotations" -}}
{{- with include "portolan.setting" (append . "annotations") }}{{ (fromJson .).value | toYaml }}{{ end -}}
{{- end -}}

{{- define "portolan.podLabels" -}}
{{- with include "portolan.setting" (append . "labels") }}{{ (fromJson .).value | toYaml }}{{ end -}}
{{- end -}}

{{- /* Scheduling, and the Secrets for pulling the image. */ -}}
{{- define "portolan.pod" -}}
{{- $pod := dict -}}
{{- range $field := list "affinity" "nodeSelector" "priorityClassName" "tolerations" -}}
{{- with include "portolan.setting" (append $ $field) }}{{ $_ := set $pod $field (fromJson .).value }}{{ end -}}
{{- end -}}
{{- with (index . 0).Values.imagePullSecrets -}}
{{- $secrets := list -}}
{{- range . }}{{ $secrets = append $secrets (dict "name" .) }}{{ end -}}
{{- $_ := set $pod "imagePullSecrets" $secrets -}}
{{- end -}}
{{- with $pod }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- /* The Pod and the container of a Job of the chart. */ -}}
{{- define "portolan.jobPod" -}}
enableServiceLinks: false
restartPolicy: Never
securityContext:
  runAsNonRoot: true
  {{- if not (include "portolan.openshift" (index . 0)) }}
  runAsGroup: 65532
  runAsUser: 65532
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- with include "portolan.pod" . }}{{ . | nindent 0 }}{{ end }}
{{- end -}}

{{- define "portolan.jobContainer" -}}
image: {{ include "portolan.image" . }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
resources:
  limits:
    memory: 256Mi
  requests:
    cpu: 10m
    memory: 32Mi
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
  readOnlyRootFilesystem: true
{{- end -}}

import type { Labelled } from './fields.tsx'
import { FormField, labelled } from './fields.tsx'
import { Textarea } from './late/textarea.ts'

/** Several lines of text. */
export function TextAreaField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
    onBlur?: () => void
    placeholder?: string
    rows?: number
    isMono?: boolean
  },
) {
  return (
    <FormField {...labelled(props)}>
      <Textarea
        size="sm"
        rows={props.rows ?? 3}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
        onBlur={props.onBlur}
        {...(props.placeholder ? { placeholder: props.placeholder } : {})}
        {...(props.isMono ? { fontFamily: 'mono', fontSize: 'xs' } : {})}
      />
    </FormField>
  )
}

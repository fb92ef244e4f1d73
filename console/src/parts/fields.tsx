import { Field, Input } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'

/** Properties that every field has around its control. */
export interface Labelled {
  readonly label: string
  readonly help?: ReactNode
  readonly error?: ReactNode
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
}

/** A label, its control, a line of help and, when something is wrong, what is wrong. */
export function FormField({
  label,
  help,
  error,
  isRequired,
  isDisabled,
  isLabelHidden,
  children,
}: Labelled & { isLabelHidden?: boolean; children: ReactNode }) {
  return (
    <Field.Root
      invalid={Boolean(error)}
      required={isRequired ?? false}
      disabled={isDisabled ?? false}
      gap="1"
    >
      <Field.Label fontSize="sm" fontWeight="500" srOnly={isLabelHidden ?? false}>
        {label}
        <Field.RequiredIndicator aria-hidden />
      </Field.Label>
      {children}
      {help && !error ? (
        <Field.HelperText color="fg.muted" whiteSpace="pre-line">
          {help}
        </Field.HelperText>
      ) : null}
      <Field.ErrorText color="fg.error">{error}</Field.ErrorText>
    </Field.Root>
  )
}

/** One line of text. */
export function TextField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
    onBlur?: () => void
    type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'search'
    autoComplete?: string
    placeholder?: string
    inputMode?: 'numeric' | 'decimal'
    isMono?: boolean
    /** The first field of a page that is there to be filled in. */
    isFocused?: boolean
  },
) {
  const field = useRef<HTMLInputElement>(null)
  const isFocused = props.isFocused ?? false
  useEffect(() => {
    if (isFocused) field.current?.focus()
  }, [isFocused])
  return (
    <FormField {...labelled(props)}>
      <Input
        ref={field}
        size="sm"
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
        onBlur={props.onBlur}
        type={props.type ?? 'text'}
        autoComplete={props.autoComplete ?? 'off'}
        {...(props.placeholder ? { placeholder: props.placeholder } : {})}
        {...(props.inputMode ? { inputMode: props.inputMode } : {})}
        {...(props.isMono ? { fontFamily: 'mono' } : {})}
      />
    </FormField>
  )
}

/** That much of a field's properties. */
export function labelled(props: Labelled): Labelled {
  return {
    label: props.label,
    help: props.help,
    error: props.error,
    isRequired: props.isRequired ?? false,
    isDisabled: props.isDisabled ?? false,
  }
}

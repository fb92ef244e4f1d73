import { Checkbox, Field, Input, NativeSelect, Switch, Textarea } from '@chakra-ui/react'
import type { ReactNode } from 'react'

interface Labelled {
  readonly label: string
  readonly help?: ReactNode
  readonly error?: string | undefined
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
  children,
}: Labelled & { children: ReactNode }) {
  return (
    <Field.Root
      invalid={Boolean(error)}
      required={isRequired ?? false}
      disabled={isDisabled ?? false}
      gap="1"
    >
      <Field.Label fontSize="sm" fontWeight="500">
        {label}
        <Field.RequiredIndicator aria-hidden />
      </Field.Label>
      {children}
      {help && !error ? <Field.HelperText color="fg.muted">{help}</Field.HelperText> : null}
      <Field.ErrorText color="fg.error">{error}</Field.ErrorText>
    </Field.Root>
  )
}

/** One line of text. */
export function TextField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
    type?: 'text' | 'password' | 'number' | 'datetime-local' | 'url' | 'search'
    autoComplete?: string
    placeholder?: string
    inputMode?: 'numeric' | 'decimal'
    step?: string
    isMono?: boolean
  },
) {
  return (
    <FormField {...labelled(props)}>
      <Input
        size="sm"
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
        type={props.type ?? 'text'}
        autoComplete={props.autoComplete ?? 'off'}
        {...(props.placeholder ? { placeholder: props.placeholder } : {})}
        {...(props.inputMode ? { inputMode: props.inputMode } : {})}
        {...(props.step ? { step: props.step } : {})}
        {...(props.isMono ? { fontFamily: 'mono' } : {})}
      />
    </FormField>
  )
}

/** Several lines of text. */
export function TextAreaField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
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
        {...(props.placeholder ? { placeholder: props.placeholder } : {})}
        {...(props.isMono ? { fontFamily: 'mono', fontSize: 'xs' } : {})}
      />
    </FormField>
  )
}

/** One of a few values, through the platform's own list: light, and right on phones. */
export function SelectField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
    options: readonly { readonly value: string; readonly label: string }[]
  },
) {
  return (
    <FormField {...labelled(props)}>
      <Select {...props} size="sm" />
    </FormField>
  )
}

/** The bare list of a SelectField, for tool bars; `label` names it for screen readers. */
export function Select(props: {
  label: string
  value: string
  onChange: (value: string) => void
  options: readonly { readonly value: string; readonly label: string }[]
  width?: string
  size?: 'xs' | 'sm'
}) {
  return (
    <NativeSelect.Root size={props.size ?? 'xs'} {...(props.width ? { width: props.width } : {})}>
      <NativeSelect.Field
        aria-label={props.label}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      >
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </NativeSelect.Field>
      <NativeSelect.Indicator />
    </NativeSelect.Root>
  )
}

/** On or off, at once visible as such. */
export function SwitchField(props: {
  label: string
  help?: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  isDisabled?: boolean
}) {
  return (
    <Field.Root gap="0.5">
      <Switch.Root
        size="sm"
        checked={props.isOn}
        disabled={props.isDisabled ?? false}
        onCheckedChange={(details) => props.onChange(details.checked)}
      >
        <Switch.HiddenInput />
        <Switch.Control>
          <Switch.Thumb />
        </Switch.Control>
        <Switch.Label>{props.label}</Switch.Label>
      </Switch.Root>
      {props.help ? <Field.HelperText color="fg.muted">{props.help}</Field.HelperText> : null}
    </Field.Root>
  )
}

/** A box to tick. `isLabelHidden` keeps the words for screen readers alone. */
export function CheckField(props: {
  label: string
  isChecked: boolean | 'indeterminate'
  onChange: (isChecked: boolean) => void
  isLabelHidden?: boolean
}) {
  return (
    <Checkbox.Root
      size="sm"
      checked={props.isChecked}
      onCheckedChange={(details) => props.onChange(details.checked === true)}
    >
      <Checkbox.HiddenInput {...(props.isLabelHidden ? { 'aria-label': props.label } : {})} />
      <Checkbox.Control />
      {props.isLabelHidden ? null : <Checkbox.Label>{props.label}</Checkbox.Label>}
    </Checkbox.Root>
  )
}

function labelled(props: Labelled): Labelled {
  return {
    label: props.label,
    help: props.help,
    error: props.error,
    isRequired: props.isRequired ?? false,
    isDisabled: props.isDisabled ?? false,
  }
}

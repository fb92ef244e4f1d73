import { chakra, Field, Input, NativeSelect, Textarea } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useEffect, useId, useRef } from 'react'

interface Labelled {
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
    onBlur?: () => void
    type?: 'text' | 'email' | 'password' | 'number' | 'datetime-local' | 'url' | 'search'
    autoComplete?: string
    placeholder?: string
    inputMode?: 'numeric' | 'decimal'
    step?: string
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

/** On or off, at once visible as such: the platform's own check box with the role and the look of a switch. */
export function SwitchField(props: {
  label: string
  help?: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  isDisabled?: boolean
}) {
  const helpId = useId()
  return (
    <div>
      <chakra.label display="inline-flex" alignItems="center" gap="2.5" cursor="pointer">
        <chakra.input
          type="checkbox"
          role="switch"
          aria-checked={props.isOn}
          css={SWITCH}
          checked={props.isOn}
          disabled={props.isDisabled ?? false}
          onChange={(event) => props.onChange(event.target.checked)}
          {...(props.help ? { 'aria-describedby': helpId } : {})}
        />
        {props.label}
      </chakra.label>
      {props.help ? (
        <chakra.p id={helpId} color="fg.muted" fontSize="xs">
          {props.help}
        </chakra.p>
      ) : null}
    </div>
  )
}

/** A box to tick. `isLabelHidden` keeps the words for screen readers alone. */
export function CheckField(props: {
  label: string
  isChecked: boolean | 'indeterminate'
  onChange: (isChecked: boolean) => void
  isLabelHidden?: boolean
}) {
  const isPartial = props.isChecked === 'indeterminate'
  return (
    <chakra.label display="inline-flex" alignItems="center" gap="2" cursor="pointer">
      <chakra.input
        ref={(box: HTMLInputElement | null) => {
          if (box) box.indeterminate = isPartial
        }}
        type="checkbox"
        boxSize="4"
        accentColor="teal.solid"
        cursor="pointer"
        checked={props.isChecked === true}
        onChange={(event) => props.onChange(event.target.checked)}
        {...(props.isLabelHidden ? { 'aria-label': props.label } : {})}
      />
      {props.isLabelHidden ? null : props.label}
    </chakra.label>
  )
}

const SWITCH = {
  appearance: 'none',
  flexShrink: '0',
  w: '32px',
  h: '18px',
  p: '2px',
  borderRadius: 'full',
  bg: 'border.field',
  cursor: 'pointer',
  transition: 'background 120ms',
  _before: {
    content: '""',
    display: 'block',
    boxSize: '14px',
    borderRadius: 'full',
    bg: 'white',
    transition: 'translate 120ms',
  },
  _checked: { bg: 'teal.solid', _before: { translate: '14px 0' } },
  _disabled: { opacity: '0.5', cursor: 'not-allowed' },
} as const

function labelled(props: Labelled): Labelled {
  return {
    label: props.label,
    help: props.help,
    error: props.error,
    isRequired: props.isRequired ?? false,
    isDisabled: props.isDisabled ?? false,
  }
}

import { chakra } from '@chakra-ui/react'
import { useId } from 'react'
import type { Labelled } from './fields.tsx'
import { FormField, labelled } from './fields.tsx'
import { NativeSelect } from './late/native-select.ts'

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

/** A box to tick. `isLabelHidden` keeps the words for screen readers alone; 'wide' shows them on a phone. */
export function CheckField(props: {
  label: string
  isChecked: boolean | 'indeterminate'
  onChange: (isChecked: boolean) => void
  isLabelHidden?: boolean | 'wide'
  isDisabled?: boolean
}) {
  const isPartial = props.isChecked === 'indeterminate'
  return (
    <chakra.label display="inline-flex" alignItems="center" gap="2" cursor="pointer">
      <chakra.input
        ref={(box: HTMLInputElement | null) => {
          if (box) box.indeterminate = isPartial
        }}
        type="checkbox"
        disabled={props.isDisabled ?? false}
        boxSize="4"
        accentColor="teal.solid"
        cursor="pointer"
        checked={props.isChecked === true}
        onChange={(event) => props.onChange(event.target.checked)}
        {...(props.isLabelHidden ? { 'aria-label': props.label } : {})}
      />
      {props.isLabelHidden === 'wide' ? (
        <chakra.span hideFrom="sm">{props.label}</chakra.span>
      ) : props.isLabelHidden ? null : (
        props.label
      )}
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

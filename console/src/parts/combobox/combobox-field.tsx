import { Box, Input } from '@chakra-ui/react'
import { useState } from 'react'
import type { Labelled } from '../fields.tsx'
import { FormField, labelled } from '../fields.tsx'
import { type Choice, matching } from './choices.ts'
import { useCombobox } from './use-combobox.tsx'

/** One line of text with suggestions: any text can be entered. */
export function SuggestedField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
    onBlur?: () => void
    choices: readonly Choice[]
  },
) {
  const { value, onChange } = props
  const combobox = useCombobox({
    label: props.label,
    choices: matching(props.choices, value).filter((choice) => choice.value !== value),
    onChoose: onChange,
  })
  return (
    <FormField {...labelled(props)}>
      <Box position="relative" w="full">
        <Input
          {...combobox.field}
          size="sm"
          value={value}
          onChange={(event) => {
            onChange(event.target.value)
            combobox.onTyped()
          }}
          onBlur={() => {
            combobox.close()
            props.onBlur?.()
          }}
        />
        {combobox.list}
      </Box>
    </FormField>
  )
}

/** One of many values: typing finds it. What is typed and not chosen is given up when the field is left. */
export function ChoiceField(
  props: Labelled & {
    value: string
    onChange: (value: string) => void
    choices: readonly Choice[]
  },
) {
  const { choices, value } = props
  const [typed, setTyped] = useState<string | null>(null)
  const chosen = choices.find((choice) => choice.value === value)?.label ?? value
  const combobox = useCombobox({
    label: props.label,
    choices: typed === null ? choices : matching(choices, typed),
    chosen: value,
    onChoose: (next) => {
      setTyped(null)
      props.onChange(next)
    },
  })
  return (
    <FormField {...labelled(props)}>
      <Box position="relative" w="full">
        <Input
          {...combobox.field}
          size="sm"
          value={typed ?? chosen}
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setTyped(event.target.value)
            combobox.onTyped()
          }}
          onBlur={() => {
            combobox.close()
            setTyped(null)
          }}
        />
        {combobox.list}
      </Box>
    </FormField>
  )
}

import { Box, Flex, Input } from '@chakra-ui/react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { Labelled } from '../fields.tsx'
import { FormField, labelled } from '../fields.tsx'
import { type Choice, choiceOf, matching } from './choices.ts'
import { ChosenChip } from './chosen-chip.tsx'
import { useCombobox } from './use-combobox.tsx'

/**
 * Several of many values, each chosen by its name from suggestions and removable. What was typed is taken in when the
 * field is left, so that a save never drops it: the choice of that name or value, the only one that fits, else the words
 * as they are, which the form's check may refuse.
 */
export function ManyField(
  props: Labelled & {
    values: readonly string[]
    /** For the words typed so far. */
    choices: readonly Choice[]
    onWords: (words: string) => void
    onChange: (values: readonly string[]) => void
  },
) {
  const [typed, setTyped] = useState('')
  const [labels, setLabels] = useState<ReadonlyMap<string, string>>(new Map())
  const rest = props.choices.filter(({ value }) => !props.values.includes(value))
  const type = (words: string) => {
    setTyped(words)
    props.onWords(words)
  }
  const add = (value: string) => {
    const label = props.choices.find((choice) => choice.value === value)?.label ?? value
    setLabels(new Map(labels).set(value, label))
    props.onChange([...new Set([...props.values, value])])
    type('')
  }
  const take = () => {
    const words = typed.trim()
    if (words !== '') add(choiceOf(rest, words) ?? words)
  }
  const combobox = useCombobox({
    label: props.label,
    choices: matching(rest, typed),
    isForMany: true,
    onChoose: add,
  })
  return (
    <FormField {...labelled(props)}>
      <Box position="relative" w="full">
        <Input
          {...combobox.field}
          size="sm"
          value={typed}
          onChange={(event) => {
            type(event.target.value)
            combobox.onTyped()
          }}
          onBlur={() => {
            combobox.close()
            take()
          }}
          onKeyDown={(event) => {
            combobox.field.onKeyDown(event)
            if (event.key !== 'Enter' || event.defaultPrevented) return
            // Ctrl-Enter goes on to the form, which sends what it holds by then.
            if (event.ctrlKey || event.metaKey) return flushSync(take)
            event.preventDefault()
            take()
          }}
        />
        {combobox.list}
      </Box>
      {props.values.length === 0 ? null : (
        <Flex as="ul" gap="1" wrap="wrap" listStyleType="none" aria-label={props.label}>
          {props.values.map((value) => (
            <ChosenChip
              key={value}
              name={labels.get(value) ?? value}
              onRemove={() => props.onChange(props.values.filter((other) => other !== value))}
            />
          ))}
        </Flex>
      )}
    </FormField>
  )
}

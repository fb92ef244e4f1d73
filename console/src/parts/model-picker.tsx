import { Box, Button, chakra, Flex, Input, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { BusyButton } from './busy-button.tsx'
import { matching, named } from './combobox/choices.ts'
import { ChosenChip } from './combobox/chosen-chip.tsx'
import { useCombobox } from './combobox/use-combobox.tsx'

/** How many chosen names are shown before the rest folds away: a channel can have two hundred. */
const FOLD_AFTER = 40

/**
 * A list of model names: typed (several by commas) or picked from suggestions, each removable. What was typed is taken
 * in when the field is left, so that a save never drops it. A name that is there already is refused with a message.
 * `tools` are buttons beside the input.
 */
export function ModelPicker(props: {
  label: string
  value: readonly string[]
  suggestions: readonly string[]
  error?: string | undefined
  tools?: ReactNode
  onChange: (models: string[]) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [duplicate, setDuplicate] = useState(false)
  const [isUnfolded, setUnfolded] = useState(false)
  const add = (words = typed) => {
    const names = words
      .split(/[,，\n]/)
      .map((name) => name.trim())
      .filter(Boolean)
    setDuplicate(names.some((name) => props.value.includes(name)))
    props.onChange([...new Set([...props.value, ...names])])
    setTyped('')
  }
  const combobox = useCombobox({
    label: props.label,
    choices: matching(
      props.suggestions.filter((name) => !props.value.includes(name)).map(named),
      typed,
    ),
    isForMany: true,
    onChoose: add,
  })
  const error = props.error ?? (duplicate ? t('models.exists') : undefined)
  const shown = isUnfolded ? props.value : props.value.slice(0, FOLD_AFTER)
  return (
    <Box>
      <chakra.label htmlFor={id} fontWeight="500" fontSize="sm" display="block" mb="1">
        {props.label}
      </chakra.label>
      <Flex gap="2">
        <Box position="relative" flex="1">
          <Input
            {...combobox.field}
            id={id}
            size="sm"
            value={typed}
            placeholder={t('models.placeholder')}
            aria-invalid={error ? true : undefined}
            aria-describedby={`${id}-error`}
            onChange={(event) => {
              setTyped(event.target.value)
              combobox.onTyped()
            }}
            onBlur={() => {
              combobox.close()
              if (typed.trim() !== '') add()
            }}
            onKeyDown={(event) => {
              combobox.field.onKeyDown(event)
              if (event.key !== 'Enter' || event.defaultPrevented) return
              // Ctrl-Enter goes on to the form, which sends what it holds by then.
              if (event.ctrlKey || event.metaKey) return flushSync(() => add())
              event.preventDefault()
              add()
            }}
          />
          {combobox.list}
        </Box>
        <BusyButton
          size="sm"
          variant="outline"
          isBusy={false}
          isLocked={typed.trim() === ''}
          onClick={() => add()}
        >
          {t('models.add')}
        </BusyButton>
      </Flex>
      <Text id={`${id}-error`} color="fg.error" fontSize="xs" mt="1" role="alert">
        {error}
      </Text>
      {props.tools ? (
        <Flex gap="1.5" wrap="wrap" mt="1">
          {props.tools}
        </Flex>
      ) : null}
      <Flex as="ul" gap="1" wrap="wrap" mt="2" listStyleType="none" aria-label={props.label}>
        {shown.map((name) => (
          <ChosenChip
            key={name}
            name={name}
            onRemove={() => props.onChange(props.value.filter((other) => other !== name))}
          />
        ))}
      </Flex>
      {props.value.length > FOLD_AFTER ? (
        <Button size="xs" variant="ghost" mt="1" onClick={() => setUnfolded(!isUnfolded)}>
          {isUnfolded
            ? t('models.fold')
            : t('models.unfold', { n: props.value.length - FOLD_AFTER })}
        </Button>
      ) : null}
    </Box>
  )
}

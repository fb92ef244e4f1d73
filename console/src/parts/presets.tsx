import { Flex } from '@chakra-ui/react'
import { ChoiceButton } from './choice-button.tsx'

/** Values that are offered with one click below a field; the one that the field holds is marked. */
export function Presets<Value extends string | number>(props: {
  values: readonly Value[]
  present: Value | null
  nameOf: (value: Value) => string
  hintOf?: (value: Value) => string
  isDisabled?: boolean
  onChoose: (value: Value) => void
}) {
  return (
    <Flex gap="1.5" wrap="wrap">
      {props.values.map((value) => (
        <ChoiceButton
          key={value}
          isChosen={value === props.present}
          {...(props.hintOf ? { 'data-hint': props.hintOf(value) } : {})}
          disabled={props.isDisabled ?? false}
          onClick={() => props.onChoose(value)}
        >
          {props.nameOf(value)}
        </ChoiceButton>
      ))}
    </Flex>
  )
}

import { Input } from '@chakra-ui/react'
import { useState } from 'react'
import { notifyInfo } from '../../parts/notify.tsx'

/** A number in a table cell that saves with Enter or when it is left; Escape or a wrong value puts the old one back. */
export function InlineNumber(props: {
  label: string
  value: number
  isValid: (text: string) => boolean
  /** Said when what was typed is not valid. */
  problem: string
  onSave: (value: number) => void
}) {
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? String(props.value)
  const finish = () => {
    if (typed !== null && !props.isValid(typed)) notifyInfo(props.problem)
    else if (typed !== null && Number(typed) !== props.value) props.onSave(Number(typed))
    setTyped(null)
  }
  return (
    <Input
      size="2xs"
      width="64px"
      textAlign="end"
      fontVariantNumeric="tabular-nums"
      inputMode="numeric"
      aria-label={props.label}
      aria-invalid={props.isValid(text) ? undefined : true}
      value={text}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish()
        if (event.key === 'Escape') setTyped(null)
      }}
    />
  )
}

import { Input } from '@chakra-ui/react'
import { useState } from 'react'

/**
 * A filter that is applied with Enter or when it is left, not with every key, so that the address and the server see
 * whole words. It follows the value from outside (Back, reset).
 */
export function SearchBox(props: {
  label: string
  value: string
  onSearch: (value: string) => void
  width?: string
  inputMode?: 'numeric'
}) {
  const [typed, setTyped] = useState(props.value)
  const [last, setLast] = useState(props.value)
  if (last !== props.value) {
    setLast(props.value)
    setTyped(props.value)
  }
  const apply = () => typed.trim() !== props.value && props.onSearch(typed.trim())
  return (
    <Input
      size="xs"
      type="search"
      width={props.width ?? '150px'}
      aria-label={props.label}
      placeholder={props.label}
      value={typed}
      {...(props.inputMode ? { inputMode: props.inputMode } : {})}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  )
}

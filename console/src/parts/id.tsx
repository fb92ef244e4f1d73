import { chakra } from '@chakra-ui/react'
import { useCopied } from './copy.tsx'

/** An id or a name in mono type that copies on click. */
export function Id({ value, label }: { value: string; label: string }) {
  const { isCopied, copy } = useCopied(value)
  return (
    <chakra.button
      type="button"
      onClick={copy}
      aria-label={`${label}: ${value}`}
      data-hint={label}
      fontFamily="mono"
      fontSize="xs"
      textAlign="start"
      cursor="copy"
      overflowWrap="anywhere"
      color={isCopied ? 'fg.success' : 'inherit'}
      _hover={{ textDecoration: 'underline dotted' }}
    >
      {value}
    </chakra.button>
  )
}

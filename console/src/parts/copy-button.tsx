import { IconButton } from '@chakra-ui/react'
import { Check, Copy } from 'lucide-react'
import { useCopied } from './copy.tsx'

/** A small button that copies a text and shows for a moment that it did. `label` names what is copied. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopied(text)
  return (
    <IconButton size="2xs" variant="ghost" aria-label={label} data-hint={label} onClick={copy}>
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
    </IconButton>
  )
}

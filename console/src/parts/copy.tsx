import { Button, chakra, IconButton } from '@chakra-ui/react'
import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from './clipboard.ts'

/** How long a button says that it has copied. */
const COPIED_MS = 1500

/** A small button that copies a text and shows for a moment that it did. `label` names what is copied. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopied(text)
  return (
    <IconButton size="2xs" variant="ghost" aria-label={label} data-hint={label} onClick={copy}>
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
    </IconButton>
  )
}

/** The same as a button with words. */
export function CopyTextButton({ text, children }: { text: string; children: ReactNode }) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopied(text)
  return (
    <Button size="xs" variant="outline" onClick={copy}>
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
      {isCopied ? t('copy.done') : children}
    </Button>
  )
}

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

function useCopied(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    setCopied(await copyText(text))
    setTimeout(() => setCopied(false), COPIED_MS)
  }
  return { isCopied, copy: () => void copy() }
}

import { Button } from '@chakra-ui/react'
import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from './clipboard.ts'

/** How long a button says that it has copied. */
const COPIED_MS = 1500

/** A button with words that copies a text and shows for a moment that it did. */
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

/** Copies a text on demand, and says for a moment that it did. */
export function useCopied(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    setCopied(await copyText(text))
    setTimeout(() => setCopied(false), COPIED_MS)
  }
  return { isCopied, copy: () => void copy() }
}

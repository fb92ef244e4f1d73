import { Button } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusBack } from './focus-back.ts'

export interface DialogFrameProps {
  readonly title: string
  readonly isOpen?: boolean
  /** True where it interrupts what somebody wanted to do. */
  readonly isAlert?: boolean
  readonly size?: 'xs' | 'sm' | 'md'
  /** True where what it shows is easily lost: a click beside it closes nothing. */
  readonly isModalOnly?: boolean
  /** Id of the form whose first field gets the focus; by default the first control of the dialog. */
  readonly focusedForm?: string
  /** The buttons at its foot. */
  readonly actions: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Fetches what dialogs are made of, for a page that must be able to open one later whatever happens meanwhile. */
export const loadDialogs = () => import('./dialog-shell.tsx')
const DialogShell = lazy(loadDialogs)

/**
 * The frame of every dialog: title, body, buttons; Escape and a click beside it close it. A dialog is mounted while it
 * is open, unless `isOpen` says otherwise. Pages do not wait for what it is made of.
 */
export function DialogFrame(props: DialogFrameProps) {
  const isOpen = props.isOpen ?? true
  const [isWanted, setWanted] = useState(isOpen)
  useFocusBack(isOpen)
  // It stays from its first opening on, so that it can be seen to close.
  if (isOpen && !isWanted) setWanted(true)
  return <Suspense>{isWanted ? <DialogShell {...props} /> : null}</Suspense>
}

/** The button that leaves a dialog without doing anything. */
export function CancelButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation()
  return (
    <Button size="sm" variant="outline" onClick={onClick}>
      {t('action.cancel')}
    </Button>
  )
}

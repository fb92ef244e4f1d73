import type { ReactNode } from 'react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { loadDialogs } from '../dialog-frame.tsx'

/** A form, or several, as the guard knows them. */
export interface Guarded {
  /** True while something typed would be lost. Read at the moment of leaving, so it may be newer than the view. */
  readonly isUnsaved: () => boolean
  /** The visitor gives up what was typed: nothing is unsaved from here on. */
  readonly giveUp: () => void
}

/** An address inside the console: where somebody is or wants to go. */
export interface Place {
  readonly pathname: string
  readonly search: object
}

/**
 * Asks before typed things are lost: by a link or Back, by reload or by closing the tab (there the browser asks in its
 * own words), and by whatever closes the form (`ask`). `staysOpen` names the moves that keep the form where it is.
 */
export function useLeaveGuard(
  guarded: Guarded,
  staysOpen?: (from: Place, to: Place) => boolean,
): { readonly ask: (leave: () => void) => void; readonly dialog: ReactNode } {
  const { t } = useTranslation()
  const { isUnsaved, giveUp } = guarded
  const [leave, setLeave] = useState<(() => void) | null>(null)
  // Before anything is typed: after an upgrade, the file of an old page is gone, and loading it would reload the page.
  useEffect(() => void loadDialogs().catch(() => null), [])
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && staysOpen?.(current, next) !== true,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  const ask = useCallback(
    (act: () => void) => (isUnsaved() ? setLeave(() => act) : act()),
    [isUnsaved],
  )
  const dialog = (
    <ConfirmDialog
      isOpen={leave !== null || blocker.status === 'blocked'}
      isDanger
      title={t('form.unsavedTitle')}
      consequence={t('form.unsavedConsequence')}
      confirmLabel={t('form.discard')}
      onConfirm={() => {
        giveUp()
        setLeave(null)
        leave?.()
        blocker.proceed?.()
      }}
      onClose={() => {
        setLeave(null)
        blocker.reset?.()
      }}
    />
  )
  return { ask, dialog }
}

/** The guard as a component, for a form that loads it late. */
export function LeaveGuard(guarded: Guarded): ReactNode {
  return useLeaveGuard(guarded).dialog
}

/** Tells the guard of a dialog that keeps by itself what was typed. */
export function useGuarded(isTyped: boolean): Guarded {
  const isGivenUp = useRef(false)
  return {
    isUnsaved: () => isTyped && !isGivenUp.current,
    giveUp: useCallback(() => {
      isGivenUp.current = true
    }, []),
  }
}

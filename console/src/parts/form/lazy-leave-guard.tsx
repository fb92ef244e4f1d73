import type { RefObject } from 'react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { textsOf } from '../../core/i18n.ts'
import { sessionUser } from '../../core/session.ts'

async function loadGuard() {
  const texts = textsOf('parts')()
  const { LeaveGuard } = await import('./leave-guard.tsx')
  await texts
  return { default: LeaveGuard }
}

/** A page that could not load it asks nothing, and keeps its form. */
const LeaveGuard = lazy(() => loadGuard().catch(() => ({ default: () => null })))

/**
 * The guard of a form for people who are not signed in. It is loaded after the page, which shows without it. `isSafe` is true once the form was sent; signing in ends the form, too.
 */
export function LazyLeaveGuard(props: { isTyped: boolean; isSafe: RefObject<boolean> }) {
  const { isTyped, isSafe } = props
  const isGivenUp = useRef(false)
  // Before anything is typed: after an upgrade, the file of an old page is gone, and loading it would reload the page.
  useEffect(() => void loadGuard().catch(() => null), [])
  if (!isTyped) return null
  return (
    <Suspense>
      <LeaveGuard
        isUnsaved={() => !isSafe.current && !isGivenUp.current && sessionUser() === null}
        giveUp={() => {
          isGivenUp.current = true
        }}
      />
    </Suspense>
  )
}

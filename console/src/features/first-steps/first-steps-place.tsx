import { lazy, Suspense } from 'react'
import { textsOf } from '../../core/i18n.ts'
import { useIsRoot } from '../../core/session.ts'

/** Only founders of installations without a charge load it. */
const FirstSteps = lazy(async () => {
  const texts = textsOf('parts', 'steps')()
  const { FirstSteps } = await import('./first-steps.tsx')
  await texts
  return { default: FirstSteps }
})
const FirstStepsBar = lazy(async () => {
  const texts = textsOf('steps')()
  const { FirstStepsBar } = await import('./first-steps-bar.tsx')
  await texts
  return { default: FirstStepsBar }
})

/** The first steps, for who can take them. */
export function FirstStepsPlace() {
  return useIsRoot() ? (
    <Suspense>
      <FirstSteps />
    </Suspense>
  ) : null
}

/** The line on other screens that leads to them. */
export function FirstStepsBarPlace() {
  return useIsRoot() ? (
    <Suspense>
      <FirstStepsBar />
    </Suspense>
  ) : null
}

import { Box } from '@chakra-ui/react'
import { lazy, Suspense } from 'react'
import { textsOf } from '../../core/i18n.ts'
import { useIsRoot } from '../../core/session.ts'
import type { FirstPriceForm } from './first-steps.tsx'
import { areStepsOpen, BAR } from './open-steps.ts'

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

/** The first steps, for who can take them; `FirstPrice` is the form of the step that sets a price. */
export function FirstStepsPlace({ FirstPrice }: { FirstPrice: FirstPriceForm }) {
  return useIsRoot() ? (
    <Suspense>
      <FirstSteps FirstPrice={FirstPrice} />
    </Suspense>
  ) : null
}

/** The line on other screens that leads to them. */
export function FirstStepsBarPlace() {
  return useIsRoot() ? (
    <Suspense fallback={areStepsOpen() ? <Box {...BAR} /> : null}>
      <FirstStepsBar />
    </Suspense>
  ) : null
}

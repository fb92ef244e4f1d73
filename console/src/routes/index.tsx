import { createFileRoute } from '@tanstack/react-router'
import { type ComponentProps, lazy, Suspense } from 'react'
import { textsOf } from '../core/i18n.ts'
import { FirstStepsPlace } from '../features/first-steps/first-steps-place.tsx'
import { Home } from '../features/home/home.tsx'
import { SkeletonRows } from '../parts/states.tsx'

/** Only founders whose models all have no price load it. */
const LazyFirstPrice = lazy(async () => {
  const [{ FirstPrice }] = await Promise.all([
    import('../features/pricing/first-price.tsx'),
    textsOf('pricing')(),
  ])
  return { default: FirstPrice }
})

export const Route = createFileRoute('/')({ component: HomeRoute })

function HomeRoute() {
  return (
    <>
      <FirstStepsPlace FirstPrice={FirstPrice} />
      <Home />
    </>
  )
}

function FirstPrice(props: ComponentProps<typeof LazyFirstPrice>) {
  return (
    <Suspense fallback={<SkeletonRows rows={3} height="40px" />}>
      <LazyFirstPrice {...props} />
    </Suspense>
  )
}

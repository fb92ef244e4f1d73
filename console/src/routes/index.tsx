import { createFileRoute } from '@tanstack/react-router'
import { FirstStepsPlace } from '../features/first-steps/first-steps-place.tsx'
import { Home } from '../features/home/home.tsx'

export const Route = createFileRoute('/')({ component: HomeRoute })

function HomeRoute() {
  return (
    <>
      <FirstStepsPlace />
      <Home />
    </>
  )
}

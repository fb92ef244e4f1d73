import { createFileRoute } from '@tanstack/react-router'
import { Setup } from '../features/setup/setup.tsx'

export const Route = createFileRoute('/setup')({ component: Setup })

import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { Setup } from '../features/setup/setup.tsx'

export const Route = createFileRoute('/setup')({ loader: textsOf('setup'), component: Setup })

import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { About } from '../features/about/about.tsx'

export const Route = createFileRoute('/about')({ loader: textsOf('about'), component: About })

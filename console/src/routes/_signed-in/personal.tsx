import { createFileRoute } from '@tanstack/react-router'
import { Personal } from '../../features/personal/personal.tsx'

export const Route = createFileRoute('/_signed-in/personal')({ component: Personal })

import { createFileRoute } from '@tanstack/react-router'
import { parseSettingsSearch } from '../../features/settings/filters.ts'
import { Settings } from '../../features/settings/settings.tsx'

export const Route = createFileRoute('/_signed-in/setting')({
  validateSearch: parseSettingsSearch,
  component: Settings,
})

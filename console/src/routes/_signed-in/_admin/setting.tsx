import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { parseSettingsSearch } from '../../../features/settings/filters.ts'
import { Settings } from '../../../features/settings/settings.tsx'

export const Route = createFileRoute('/_signed-in/_admin/setting')({
  validateSearch: parseSettingsSearch,
  loader: textsOf('settings'),
  component: Settings,
})

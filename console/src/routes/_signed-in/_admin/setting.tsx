import { createFileRoute } from '@tanstack/react-router'
import { type ComponentProps, lazy, Suspense, useEffect } from 'react'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parseSettingsSearch } from '../../../features/settings/filters.ts'
import { Settings } from '../../../features/settings/settings.tsx'
import { chosen } from '../../../parts/search-params.ts'
import { SkeletonRows } from '../../../parts/states.tsx'

const LazyEditor = lazy(async () => {
  const [{ PriceEditor }] = await Promise.all([
    import('../../../features/pricing/price-editor.tsx'),
    textsOf('pricing')(),
  ])
  return { default: PriceEditor }
})

const loadSaveDialog = async () => {
  const [dialog] = await Promise.all([
    import('../../../features/pricing/save-dialog.tsx'),
    textsOf('pricing')(),
  ])
  return dialog
}
const LazySaveDialog = lazy(loadSaveDialog)

export const Route = createFileRoute('/_signed-in/_admin/setting')({
  validateSearch: parseSettingsSearch,
  beforeLoad: readingAhead(() => import('../../../features/settings/queries.ts')),
  loader: textsOf('parts', 'settings'),
  component: SettingRoute,
})

function SettingRoute() {
  const navigate = Route.useNavigate()
  // Before anything is typed: after an upgrade, the file of an old page is gone, and loading it would reload the page.
  useEffect(() => void loadSaveDialog().catch(() => null), [])
  return (
    <Settings
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search: chosen(search), replace: true })}
      PriceEditor={PriceEditor}
      SavePrices={SavePrices}
    />
  )
}

/** Fetched with its texts when it is opened. */
function PriceEditor(props: { view: 'visual' | 'unset' }) {
  return (
    <Suspense fallback={<SkeletonRows rows={11} height="40px" />}>
      <LazyEditor {...props} />
    </Suspense>
  )
}

function SavePrices(props: ComponentProps<typeof LazySaveDialog>) {
  return (
    <Suspense>
      <LazySaveDialog {...props} />
    </Suspense>
  )
}

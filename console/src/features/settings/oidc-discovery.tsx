import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { notifyFailure, notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import { optionProblem } from './option-form.ts'
import { specOf } from './options.ts'
import { useOidcDiscovery } from './queries.ts'
import type { SettingsEditor } from './use-settings.ts'
import { shownText } from './use-settings.ts'

/** Fills the endpoints in from what the Well-Known URL says; they still have to be saved. */
export function OidcDiscovery({ editor }: { editor: SettingsEditor }) {
  const { t } = useTranslation()
  const discovery = useOidcDiscovery({
    onFound: (found) => {
      editor.set('oidc.authorization_endpoint', found.authorization_endpoint)
      editor.set('oidc.token_endpoint', found.token_endpoint)
      editor.set('oidc.user_info_endpoint', found.user_info_endpoint)
      notifySuccess(t('settings.oidcFound'))
    },
    onFailed: () => notifyFailure(new Error(t('settings.oidcFailed'))),
  })
  const wellKnown = shownText(editor, 'oidc.well_known').trim()
  const fetchEndpoints = () => {
    if (wellKnown === '' || optionProblem(specOf('oidc.well_known'), wellKnown) !== null)
      notifyInfo(t('settings.oidcAddress'))
    else discovery.mutate(wellKnown)
  }
  return (
    <BusyButton size="sm" variant="ghost" isBusy={discovery.isPending} onClick={fetchEndpoints}>
      {t('settings.oidcFetch')}
    </BusyButton>
  )
}

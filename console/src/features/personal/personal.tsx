import { Grid, Stack } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { AccessToken } from './access-token.tsx'
import { AccountFacts } from './account-facts.tsx'
import { BindEmail } from './bind-email.tsx'
import { BindTelegram } from './bind-telegram.tsx'
import { ChangePassword } from './change-password.tsx'

/** The user's own account: balance and use, password, e-mail, Telegram, system access token. */
export function Personal() {
  const { t } = useTranslation()
  return (
    <Page title={t('place.personal')}>
      <Grid gap="4" templateColumns={{ base: '1fr', lg: '1fr 1fr' }} alignItems="start">
        <Stack gap="4">
          <AccountFacts />
          <AccessToken />
        </Stack>
        <Stack gap="4">
          <ChangePassword />
          <BindEmail />
          <BindTelegram />
        </Stack>
      </Grid>
    </Page>
  )
}

import { Grid, Stack } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { BalanceCard } from './balance-card.tsx'
import { NoGroups } from './no-groups.tsx'
import { OnlineTopUp } from './online-top-up.tsx'
import { Orders } from './orders.tsx'
import { RedeemCode } from './redeem-code.tsx'
import { Redemptions } from './redemptions.tsx'

/** The balance, the two ways to add to it, and the payments and redemptions so far. */
export function Wallet() {
  const { t } = useTranslation()
  return (
    <Page title={t('place.wallet')}>
      <NoGroups />
      <Grid
        gap="4"
        templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}
        alignItems="start"
      >
        <Stack gap="4">
          <BalanceCard />
          <RedeemCode />
          <Redemptions />
        </Stack>
        <Stack gap="4">
          <OnlineTopUp />
          <Orders />
        </Stack>
      </Grid>
    </Page>
  )
}

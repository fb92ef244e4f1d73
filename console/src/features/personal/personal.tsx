import { Grid, Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { selfQuery } from '../../core/status.ts'
import { Page } from '../../parts/page.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { BalanceCard } from './balance-card.tsx'
import { Bindings } from './bindings.tsx'
import { Invitation } from './invitation.tsx'
import { Models } from './models.tsx'
import { OwnSettings } from './own-settings.tsx'
import { Profile } from './profile.tsx'
import { ownModelsQuery } from './queries.ts'
import { Security } from './security.tsx'
import { Sessions } from './sessions.tsx'

/** The user's own account: balance and use, models, invitations, names, bindings, settings, sessions. */
export function Personal() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery)
  // Their number decides how tall their card is, and so where the ones below it stand.
  const models = useQuery(ownModelsQuery)
  const { data } = self
  const isPending = self.isPending || models.isPending
  return (
    <Page title={t('place.personal')}>
      {isPending ? <SkeletonRows rows={12} height="40px" /> : null}
      {self.isError && !data ? (
        <ErrorState error={self.error} onRetry={() => void self.refetch()} />
      ) : null}
      {data && !isPending ? (
        <Grid
          gap="4"
          templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}
          alignItems="start"
          maxW="1200px"
        >
          <Stack gap="4">
            <BalanceCard self={data} />
            <Models />
            <Invitation self={data} />
            <Sessions />
          </Stack>
          <Stack gap="4">
            <Profile self={data} />
            <Bindings self={data} />
            <OwnSettings self={data} />
            <Security self={data} />
          </Stack>
        </Grid>
      ) : null}
    </Page>
  )
}

import { chakra, Flex, Heading } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ROLE_ADMIN, ROLE_ROOT } from '../../core/contract.ts'
import { selfQuery } from '../../core/status.ts'
import { Id } from '../../parts/copy.tsx'
import { Panel } from '../../parts/page.tsx'
import { Quota } from '../../parts/quota.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'

/** Who this is, what is left and what was used. */
export function AccountFacts() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery)
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="3">
        {t('personal.account')}
      </Heading>
      {self.isPending ? <SkeletonRows rows={7} height="24px" /> : null}
      {self.isError ? <ErrorState error={self.error} onRetry={() => void self.refetch()} /> : null}
      {self.data ? (
        <chakra.dl display="grid" gap="1.5">
          <Fact label={t('personal.username')}>{self.data.username}</Fact>
          <Fact label={t('personal.id')}>
            <Id value={String(self.data.id)} label={t('personal.copyId')} />
          </Fact>
          <Fact label={t('personal.role')}>{t(`personal.${roleName(self.data.role)}`)}</Fact>
          <Fact label={t('personal.group')}>{self.data.group}</Fact>
          <Fact label={t('personal.balance')}>
            <Quota value={self.data.quota} />
          </Fact>
          {self.data.held > 0 ? (
            <Fact label={t('personal.held')}>
              <Quota value={self.data.held} />
            </Fact>
          ) : null}
          <Fact label={t('personal.used')}>
            <Quota value={self.data.used_quota} />
          </Fact>
          <Fact label={t('personal.requests')}>
            {self.data.request_count.toLocaleString('en-US')}
          </Fact>
        </chakra.dl>
      ) : null}
    </Panel>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Flex justify="space-between" gap="4">
      <chakra.dt color="fg.muted">{label}</chakra.dt>
      <chakra.dd fontVariantNumeric="tabular-nums">{children}</chakra.dd>
    </Flex>
  )
}

function roleName(role: number): 'roleRoot' | 'roleAdmin' | 'roleUser' {
  if (role >= ROLE_ROOT) return 'roleRoot'
  return role >= ROLE_ADMIN ? 'roleAdmin' : 'roleUser'
}

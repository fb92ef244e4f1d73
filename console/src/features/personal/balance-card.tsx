import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Self } from '../../core/contract.ts'
import { ROLE_ROOT } from '../../core/contract.ts'
import { Card } from '../../parts/card.tsx'
import { Id } from '../../parts/id.tsx'
import { Count } from '../../parts/count.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { SPENT, StatementLink } from '../../parts/statement-link.tsx'
import { Tag } from '../../parts/tag.tsx'

/** The account: name, role, balance and usage. */
export function BalanceCard({ self }: { self: Self }) {
  const { t } = useTranslation()
  return (
    <Card
      title={t('personal.account')}
      action={
        <Button asChild size="xs" variant="outline">
          <Link to="/topup">{t('place.wallet')}</Link>
        </Button>
      }
    >
      <Flex gap="3" align="center" mb="4">
        <chakra.span
          aria-hidden
          display="grid"
          placeItems="center"
          boxSize="11"
          flexShrink="0"
          borderRadius="full"
          bg="teal.solid"
          color="white"
          fontSize="lg"
          fontWeight="600"
        >
          {self.username.slice(0, 1).toUpperCase()}
        </chakra.span>
        <Box minW="0">
          <Text fontWeight="600" overflowWrap="anywhere">
            {self.display_name || self.username}
          </Text>
          <Flex gap="2" align="center" wrap="wrap" color="fg.muted" fontSize="sm">
            <span>{self.username}</span>
            <Tag tone={self.role >= ROLE_ROOT ? 'accent' : 'neutral'}>
              {self.role >= ROLE_ROOT ? t('personal.roleAdmin') : t('personal.roleUser')}
            </Tag>
            <Tag>{self.group}</Tag>
            <span>
              {t('personal.id')} <Id value={String(self.id)} label={t('personal.copyId')} />
            </span>
          </Flex>
        </Box>
      </Flex>
      <Text color="fg.muted" fontSize="sm">
        {t('personal.available')}
      </Text>
      <Text fontSize="3xl" fontWeight="650" letterSpacing="-0.02em" lineHeight="1.2" mb="3">
        <Money kind="balance" value={self.quota - self.held} />
      </Text>
      <Facts
        facts={[
          {
            label: t('personal.balance'),
            value: (
              <StatementLink>
                <Money kind="balance" value={self.quota} />
              </StatementLink>
            ),
          },
          { label: t('personal.held'), value: <Money value={self.held} /> },
          {
            label: t('personal.used'),
            value: (
              <StatementLink part={SPENT}>
                <Money value={self.used_quota} />
              </StatementLink>
            ),
          },
          { label: t('personal.requests'), value: <Count value={self.request_count} /> },
        ]}
      />
    </Card>
  )
}

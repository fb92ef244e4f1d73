import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsRoot, useSessionUser } from '../../core/session.ts'
import type { PriceList } from './contract.ts'

/** Whose prices these are, how they are reckoned, and what is missing. */
export function Banners(props: { list: PriceList; group: string }) {
  const { t } = useTranslation()
  const user = useSessionUser()
  const isRoot = useIsRoot()
  const unset = props.list.models.filter((model) => !model.has_price).length
  const ownRatio = user ? (props.list.groupRatio[user.group] ?? 1) : 1
  return (
    <Flex direction="column" gap="2" mb="3">
      {user ? (
        <Text>
          {t('pricing.ownGroup', { group: user.group, ratio: ownRatio })}
          {props.group === user.group ? null : (
            <chakra.span color="fg.warning">
              {` ${t('pricing.viewing', {
                group: props.group,
                ratio: props.list.groupRatio[props.group] ?? 1,
              })}`}
            </chakra.span>
          )}
        </Text>
      ) : (
        <Notice>
          {t('pricing.visitor', {
            group: props.group,
            ratio: props.list.groupRatio[props.group] ?? 1,
          })}{' '}
          <Link to="/login" style={{ textDecoration: 'underline' }}>
            {t('login.submit')}
          </Link>
        </Notice>
      )}
      <Box color="fg.muted" fontSize="xs" whiteSpace="pre-line">
        {t('pricing.formula')}
      </Box>
      {isRoot && unset > 0 ? (
        <Notice>
          {t('pricing.unsetBanner', { count: unset })}{' '}
          <Button asChild size="2xs" variant="outline">
            <Link to="/setting" search={{ prices: 'unset' }} hash="prices">
              {t('pricing.setPrices')}
            </Link>
          </Button>
        </Notice>
      ) : null}
    </Flex>
  )
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <Flex
      gap="2"
      px="3"
      py="2"
      borderWidth="1px"
      borderColor="border"
      borderRadius="l2"
      bg="bg.panel"
    >
      <Box color="fg.warning" mt="0.5" flexShrink="0">
        <TriangleAlert size={15} aria-hidden />
      </Box>
      <Box>{children}</Box>
    </Flex>
  )
}

import { Box, Button, chakra, Flex, Grid, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { HOME_CONTENT_KEY } from '../../core/first-words.ts'
import { useSessionUser } from '../../core/session.ts'
import { useStatus } from '../../core/status.ts'
import { OperatorContent } from '../../parts/operator-content.tsx'
import { NoticeBar } from './notice-bar.tsx'
import { ConnectCard } from './connect-card.tsx'
import { SystemFacts } from './system-facts.tsx'

/** The first page: the operator's own content when there is some, else what this is and how to call it. */
export function Home() {
  const { t } = useTranslation()
  const content = useQuery({
    queryKey: ['home-page-content'],
    queryFn: async () => {
      const own = await get('/api/home_page_content')
      remember(own)
      return own
    },
    // Begun with, so that a visitor who comes again does not see another page first.
    initialData: () => localStorage.getItem(HOME_CONTENT_KEY) ?? undefined,
    initialDataUpdatedAt: 0,
  })
  return (
    <>
      <NoticeBar />
      {content.isError ? (
        <Text role="alert" px="4" py="2" color="fg.error">
          {t('home.contentFailed')}
        </Text>
      ) : null}
      {content.data ? (
        <OperatorContent content={content.data} title={t('frame.home')} />
      ) : (
        <DefaultHome />
      )}
    </>
  )
}

/** Keeps the operator's own home page for the next visit; one that the browser has no room for is shown all the same. */
function remember(content: string): void {
  try {
    localStorage.setItem(HOME_CONTENT_KEY, content)
  } catch {
    // Pictures in the page itself may take more than the 5 MB that a browser keeps of a site.
    localStorage.removeItem(HOME_CONTENT_KEY)
  }
}

function DefaultHome() {
  const { t } = useTranslation()
  const status = useStatus()
  const user = useSessionUser()
  const name = status?.system_name || 'Tollgate'
  const isOpen = status?.self_use_mode_enabled === false
  return (
    <Box maxW="1080px" mx="auto" px="4" py={{ base: '8', md: '16' }}>
      <title>{name}</title>
      <chakra.h1
        fontFamily="heading"
        fontSize={{ base: '3xl', md: '4xl' }}
        letterSpacing="-0.025em"
        fontWeight="650"
        maxW="20ch"
        lineHeight="1.15"
      >
        {t('home.headline')}
      </chakra.h1>
      <Text color="fg.muted" fontSize="md" maxW="62ch" mt="3">
        {t('home.lead')}
      </Text>
      <Flex gap="2" mt="5" wrap="wrap">
        <Button asChild size="sm">
          {user ? (
            <Link to="/token">{t('home.openConsole')}</Link>
          ) : (
            <Link to={isOpen ? '/register' : '/login'}>
              {t(isOpen ? 'login.signUp' : 'login.submit')}
            </Link>
          )}
        </Button>
        <Button asChild size="sm" variant="outline">
          <Link to="/pricing">{t('home.seePricing')}</Link>
        </Button>
      </Flex>
      <Grid mt="10" gap="4" templateColumns={{ base: '1fr', md: '3fr 2fr' }} alignItems="start">
        <ConnectCard />
        <SystemFacts />
      </Grid>
    </Box>
  )
}

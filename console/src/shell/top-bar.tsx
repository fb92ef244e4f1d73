import { Badge, Box, Button, chakra, Flex, IconButton } from '@chakra-ui/react'
import { Link, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Contrast, Languages, Menu as MenuIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useQuotaUnit } from '../parts/quota.tsx'
import { changeLanguage } from '../core/i18n.ts'
import { useSessionUser } from '../core/session.ts'
import { useStatus } from '../core/status.ts'
import { useTheme } from '../core/theme.ts'
import { AccountMenu } from './account-menu.tsx'

/** Most days there is nothing to greet for. */
const NewYear = () => {
  const [isToday] = useState(() => isNewYearsDay(new Date()))
  if (!isToday) return null
  return (
    <Suspense>
      <Greeting />
    </Suspense>
  )
}
const Greeting = lazy(() => import('./new-year.tsx'))
const isNewYearsDay = (day: Date): boolean => day.getMonth() === 0 && day.getDate() === 1

/** Pages that show no amounts and are themselves for signing in or up. */
const ENTRY_PATHS = ['/setup', '/login', '/register', '/reset', '/user/reset']

/** Screens that have a link of their own beside the console's. */
const OWN_PLACES = ['/pricing', '/about']

/** Place, unit of amounts, language, theme and account; the same on every screen. */
export function TopBar({ hasMenu, onOpenMenu }: { hasMenu: boolean; onOpenMenu: () => void }) {
  const { t } = useTranslation()
  const path = useRouterState({ select: (state) => state.location.pathname })
  // Until then every place leads back to the wizard.
  const isSetUp = useStatus()?.setup !== false
  const isEntry = ENTRY_PATHS.includes(path)
  return (
    <Flex
      as="header"
      css={{ '@media print': { display: 'none' } }}
      position="sticky"
      top="0"
      zIndex="sticky"
      h="48px"
      align="center"
      gap={{ base: '1', md: '3' }}
      px={{ base: '2', md: '4' }}
      borderBottomWidth="1px"
      borderColor="border"
      bg="bg.panel"
    >
      {hasMenu ? (
        <IconButton
          hideFrom="sm"
          size="sm"
          variant="ghost"
          aria-label={t('frame.openMenu')}
          onClick={onOpenMenu}
        >
          <MenuIcon size={18} />
        </IconButton>
      ) : null}
      <Brand />
      {isSetUp ? <Places isInConsole={hasMenu && !OWN_PLACES.includes(path)} /> : null}
      <Box flex="1" />
      {isEntry ? null : <UnitSwitch />}
      <LanguageSwitch />
      <ThemeSwitch />
      {isSetUp ? <Account path={path} /> : null}
    </Flex>
  )
}

function Brand() {
  const { t } = useTranslation()
  const status = useStatus()
  const name = status?.system_name || 'Tollgate'
  const badge = status?.self_use_mode_enabled
    ? t('frame.selfUse')
    : status?.demo_site_enabled
      ? t('frame.demoSite')
      : ''
  return (
    <Flex align="center" gap="2" minW="0">
      <Link
        to="/"
        // Begins with what is seen, so that people who speak to their computer can say it.
        aria-label={`${name}: ${t('frame.home')}`}
        style={{ display: 'flex', gap: '8px', alignItems: 'center', minWidth: 0 }}
      >
        <img src={status?.logo || '/favicon.svg'} alt="" width={22} height={22} />
        <chakra.span fontWeight="650" letterSpacing="-0.01em" truncate hideBelow="sm">
          {name}
        </chakra.span>
      </Link>
      {badge ? (
        <Badge size="xs" hideBelow="md">
          {badge}
        </Badge>
      ) : null}
    </Flex>
  )
}

function Places({ isInConsole }: { isInConsole: boolean }) {
  const { t } = useTranslation()
  const status = useStatus()
  const user = useSessionUser()
  return (
    <Flex
      as="nav"
      aria-label={t('frame.places')}
      align="center"
      gap="1"
      ms={{ base: '0', md: '3' }}
      minW="0"
      css={{
        '& a': {
          px: { base: '1', sm: '2' },
          py: '1',
          borderRadius: 'l2',
          color: 'fg.muted',
          whiteSpace: 'nowrap',
          _hover: { color: 'fg' },
        },
        // Wider letters would touch what follows at 360 px.
        '& a[aria-current]': { color: 'teal.fg', fontWeight: { base: '500', sm: '600' } },
      }}
    >
      <chakra.span hideBelow="md">
        <Link to="/" activeOptions={{ exact: true }}>
          {t('frame.home')}
        </Link>
      </chakra.span>
      {user ? (
        <Link
          to={status?.enable_data_export === false ? '/token' : '/detail'}
          // The screens beside the side bar are inside of it.
          aria-current={isInConsole ? 'true' : undefined}
        >
          {t('frame.console')}
        </Link>
      ) : null}
      <Link to="/pricing">{t('place.pricing')}</Link>
      {status?.docs_link ? (
        <a href={status.docs_link} target="_blank" rel="noreferrer">
          {t('frame.docs')}
        </a>
      ) : null}
      <chakra.span hideBelow="md">
        <Link to="/about">{t('place.about')}</Link>
      </chakra.span>
      <NewYear />
    </Flex>
  )
}

function UnitSwitch() {
  const { t } = useTranslation()
  const { unit, setUnit } = useQuotaUnit()
  const next = unit === 'currency' ? 'quota' : 'currency'
  const label = next === 'quota' ? t('quota.switchToRaw') : t('quota.switchToCurrency')
  return (
    <Button
      size="xs"
      variant="outline"
      minW="9"
      aria-label={label}
      data-hint={label}
      onClick={() => setUnit(next)}
    >
      {unit === 'currency' ? '$' : t('quota.rawShort')}
    </Button>
  )
}

function LanguageSwitch() {
  const { t, i18n } = useTranslation()
  const next = i18n.language === 'zh' ? 'en' : 'zh'
  return (
    <Button
      size="xs"
      variant="ghost"
      px="2"
      aria-label={t('frame.language')}
      data-hint={t('frame.language')}
      onClick={() => void changeLanguage(next)}
    >
      <Languages size={15} aria-hidden />
      <chakra.span hideBelow="sm">{t('frame.otherLanguage')}</chakra.span>
    </Button>
  )
}

function ThemeSwitch() {
  const { t } = useTranslation()
  const [theme, setTheme] = useTheme()
  const label = theme === 'dark' ? t('frame.lightTheme') : t('frame.darkTheme')
  return (
    <IconButton
      size="xs"
      variant="ghost"
      aria-label={label}
      data-hint={label}
      onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
    >
      <Contrast size={15} />
    </IconButton>
  )
}

function Account({ path }: { path: string }) {
  const { t } = useTranslation()
  const user = useSessionUser()
  const isSelfUse = useStatus()?.self_use_mode_enabled ?? false
  if (user) return <AccountMenu user={user} />
  return (
    <>
      {path === '/login' ? null : (
        <Button asChild size="xs" variant={path === '/register' ? 'solid' : 'ghost'}>
          <Link to="/login">{t('login.submit')}</Link>
        </Button>
      )}
      {isSelfUse || path === '/register' ? null : (
        <Button asChild size="xs">
          <Link to="/register">{t('login.signUp')}</Link>
        </Button>
      )}
    </>
  )
}

import { Moon, Sun } from 'lucide-react'
import { attempt, createStore, useStore } from './store.ts'
import { Tooltip } from './tooltip.tsx'

type Theme = 'light' | 'dark'

function currentTheme(): Theme {
  return document.documentElement.classList.contains('dark') ? 'dark' : 'light'
}

/** Reads the root's class, which the script in the head has set before the first paint. */
const store = { ...createStore<Theme>('light'), get: currentTheme }

function toggleTheme() {
  const theme = currentTheme() === 'dark' ? 'light' : 'dark'
  const { classList } = document.documentElement
  classList.remove('light', 'dark')
  // All colors change in one frame: hundreds of small transitions would be slow and look like a glitch.
  classList.add(theme, 'at-once')
  requestAnimationFrame(() => requestAnimationFrame(() => classList.remove('at-once')))
  // Storage may be blocked; the choice then lasts as long as the page.
  attempt(() => localStorage.setItem('theme', theme))
  store.set(theme)
}

export const useTheme = () => useStore(store)

const useToggleLabel = () => (useTheme() === 'dark' ? 'Switch to light theme' : 'Switch to dark theme')

export function ThemeToggle() {
  const label = useToggleLabel()
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        onClick={toggleTheme}
        className="grid size-10 cursor-pointer place-items-center rounded-md text-muted transition-colors hover:bg-line/60 hover:text-ink"
      >
        <ThemeIcon />
      </button>
    </Tooltip>
  )
}

export function ThemeRow({ className }: { className: string }) {
  return (
    <button type="button" aria-label={`Theme: ${useToggleLabel()}`} onClick={toggleTheme} className={className}>
      Theme
      <span className="ml-auto text-muted">
        <ThemeIcon />
      </span>
    </button>
  )
}

/** Renders both icons; the root's class picks one, so it is right before any script runs. */
const ThemeIcon = () => (
  <>
    <Moon className="shrink-0 size-5 dark:hidden" />
    <Sun className="shrink-0 hidden size-5 dark:block" />
  </>
)

import { type ComponentProps, createElement } from 'react'
import { classes } from './classes.ts'

const drawings = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'm6 6 12 12M18 6 6 18',
  chevron: 'm6 9 6 6 6-6',
  arrow: 'M5 12h14m-7-7 7 7-7 7',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2m0 16v2M5 5l1.4 1.4m11.2 11.2L19 19M2 12h2m16 0h2M6.4 17.6 5 19M19 5l-1.4 1.4',
}

const Drawing = (props: ComponentProps<'svg'>) => (
  <svg
    viewBox="0 0 24 24"
    width="24"
    height="24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    {...props}
  />
)

/** The few icons every page needs; the rest come from the icon library with the pages that use them. */
export function Icon({ name, className = 'size-5' }: { name: keyof typeof drawings; className?: string }) {
  return (
    <Drawing className={classes('shrink-0', className)}>
      <path d={drawings[name]} />
    </Drawing>
  )
}

export const Arrow = () => (
  <Icon name="arrow" className="size-4.5 transition-transform duration-300 group-hover:translate-x-1" />
)

type Data = { node: [tag: string, attributes: Record<string, string>][] }

/** What the icon library's drawings become: `vite.config.ts` puts it in place of the library's own, four times as long. */
export default function createIcon({ node }: Data) {
  return (props: ComponentProps<'svg'>) => (
    <Drawing {...props}>{node.map(([tag, attributes]) => createElement(tag, attributes))}</Drawing>
  )
}

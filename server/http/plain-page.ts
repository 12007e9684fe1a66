import { brand } from '#contract/brand.ts'
import { brandShades } from '#contract/brand-colors.ts'
import { escapeHtml } from '../security/escape-html.ts'

/** For developer pages, which are outside the web build. */
const baseStyle = `:root{color-scheme:light dark;
--ground:light-dark(#f7fbf9,#060f0f);--surface:light-dark(#fff,#0b1716);--line:light-dark(#dae1df,#22302f);
--ink:light-dark(#0b1c1a,#eef4f2);--muted:light-dark(#4c5c5a,#a4b2b1);--accent:light-dark(${brandShades.light},${brandShades.dark});--soft:light-dark(${brandShades.lightSoft},${brandShades.darkSoft})}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:17rem minmax(0,1fr);min-height:100vh;background:var(--ground);color:var(--ink);font:15px/1.6 system-ui,sans-serif}
a{color:inherit;text-decoration-color:var(--accent);text-underline-offset:3px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code,pre{font:13px/1.6 ui-monospace,"SF Mono","Cascadia Mono","Liberation Mono",Menlo,monospace}
pre{margin:0;padding:1rem;overflow:auto;border:1px solid var(--line);border-radius:10px;background:var(--ground)}
h1{margin:0 0 .75rem;font-size:1.75rem;line-height:1.2;letter-spacing:-.02em}
h2{margin:2.5rem 0 .75rem;font-size:1.1rem;letter-spacing:-.01em}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.75rem 1.25rem;border-right:1px solid var(--line);background:var(--surface)}
nav h2{margin:1.5rem .75rem .5rem;font-size:.75rem;font-weight:500;color:var(--muted)}
nav ul{margin:0;padding:0;list-style:none}
nav a{display:block;padding:.3rem .75rem;border-radius:8px;overflow-wrap:anywhere;text-decoration:none}
nav a:hover,nav a[aria-current]{background:var(--soft)}
nav a[aria-current]{font-weight:600}
.brand{display:flex;align-items:center;gap:.6rem;margin:0;padding:0 .75rem;font-weight:650}
.brand span{display:grid;place-items:center;width:28px;height:28px;border-radius:8px;background:var(--accent);color:light-dark(#fff,${brandShades.onDark})}
main{padding:clamp(1.5rem,4vw,3.5rem);max-width:78rem}
.lead{max-width:42rem;margin:0;color:var(--muted)}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}nav ul{display:flex;flex-wrap:wrap}}`

export const plainPage = (page: { title: string; style: string; nav: string; main: string }) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escapeHtml(page.title)}</title><style>${baseStyle}${page.style}</style></head>
<body><nav aria-label="${escapeHtml(page.title)}"><p class="brand"><span aria-hidden="true">${escapeHtml(brand.letter)}</span>${escapeHtml(brand.name)}</p>${page.nav}</nav><main>${page.main}</main></body></html>`

type LockedPackage = { resolved?: string; integrity?: string; optionalDependencies?: Record<string, string> }
export type LockFile = { packages: Record<string, LockedPackage> }

/** Finds entries that would make `npm ci` differ between machines. */
export function checkLockFile({ packages }: LockFile): string[] {
  const complaints: string[] = []
  for (const [path, locked] of Object.entries(packages)) {
    const name = path || 'this package'
    if (path && locked.resolved) complaints.push(`${name} has a download URL (see .npmrc)`)
    if (path && !locked.integrity) complaints.push(`${name} has no integrity hash`)

    for (const build of Object.keys(locked.optionalDependencies ?? {}))
      if (!packages[`node_modules/${build}`] && !packages[`${path}/node_modules/${build}`])
        complaints.push(`${name} needs ${build}, which is not in the lock file: npm ci will refuse`)
  }
  return complaints
}

export type Bill = {
  components: {
    name: string
    version: string
    hashes?: unknown[]
    licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[]
  }[]
}

/** Licenses that let us sell a shop with the package. MPL-2.0 and OFL-1.1 require that its files stay unchanged or open. */
const allowedLicenses = new Set(
  'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 CC0-1.0 Unlicense BlueOak-1.0.0 MPL-2.0 OFL-1.1'.split(' '),
)

export function checkMaterials({ components }: Bill): string[] {
  return components.flatMap(({ name, version, hashes = [], licenses = [] }) => {
    const terms = licenses.map((entry) =>
      'expression' in entry ? entry.expression : (entry.license.id ?? entry.license.name ?? ''),
    )
    const complaints: string[] = []
    if (hashes.length === 0) complaints.push(`${name}@${version} has no hash`)
    if (terms.length === 0 || !terms.every(isAllowed))
      complaints.push(`${name}@${version} has the license ${terms.join(', ') || '(none)'}, which is not on our list`)
    return complaints
  })
}

/** An OR needs one allowed license; an AND needs all of them. */
function isAllowed(expression: string): boolean {
  const choices = expression.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every((term) => allowedLicenses.has(term.trim())))
}

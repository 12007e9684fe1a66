import packageJson from '../../package.json' with { type: 'json' }

/** Arguments with which `npm start` calls Node: options, and the path of the built shop in the repository. */
export const startArguments = packageJson.scripts.start.split(' ').slice(1)

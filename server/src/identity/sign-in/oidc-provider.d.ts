// The package has no types; this is the part that tests use.
declare module 'oidc-provider' {
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): import('node:http').RequestListener;
  }
}

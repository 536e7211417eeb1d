import type { RootRule } from '#ingest/roots/rule'

export const CSHARP: readonly RootRule[] = [
  {
    kind: 'language_protocol',
    of: 'function',
    member: true,
    name: /^(?:ToString|GetHashCode|Equals|CompareTo|Dispose|DisposeAsync|GetEnumerator|Finalize|operator\b.*|Deconstruct|GetAwaiter)$/,
  },
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'any',
    marker:
      /(?:^|\.)(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Property|Benchmark|TestFixture|TestClass)(?:Attribute)?$/,
  },
  {
    kind: 'test_runner',
    of: 'function',
    marker:
      /(?:^|\.)(?:SetUp|TearDown|OneTimeSetUp|OneTimeTearDown|TestInitialize|TestCleanup|ClassInitialize|ClassCleanup|AssemblyInitialize|AssemblyCleanup|GlobalSetup|GlobalCleanup|IterationSetup|IterationCleanup|BeforeScenario|AfterScenario|Given|When|Then)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'any',
    marker:
      /(?:^|\.)(?:Http(?:Get|Post|Put|Delete|Patch|Head|Options)|Route|ApiController|Controller|AcceptVerbs|HubMethodName)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    base: /(?:Controller|ControllerBase|Hub|PageModel)$/,
    name: /^[A-Z]\w*$/,
    exported: true,
  },
  {
    kind: 'serverless_platform',
    of: 'function',
    marker: /(?:^|\.)(?:FunctionName|Function|LambdaFunction|LambdaSerializer)$/,
  },
  {
    kind: 'native_code',
    of: 'function',
    marker: /(?:^|\.)(?:UnmanagedCallersOnly|MonoPInvokeCallback|DllExport|ModuleInitializer|JSInvokable|ComVisible)$/,
  },
  {
    kind: 'object_mapper',
    of: 'function',
    marker: /(?:^|\.)(?:JsonConstructor|OnDeserialized|OnDeserializing|OnSerialized|OnSerializing)$/,
  },
  {
    kind: 'game_engine',
    of: 'function',
    base: /^(?:MonoBehaviour|ScriptableObject|EditorWindow|Editor|NetworkBehaviour|Node\w*|SystemBase)$/,
    name: /^(?:Awake|Start|Update|FixedUpdate|LateUpdate|On[A-Z]\w*|Reset|_[A-Z]\w*)$/,
  },
  {
    kind: 'game_engine',
    of: 'function',
    marker: /(?:^|\.)(?:MenuItem|ContextMenu|RuntimeInitializeOnLoadMethod|InitializeOnLoadMethod|BurstCompile)$/,
  },
  {
    kind: 'application_start',
    of: 'function',
    within: /^(?:Startup|Program)$/,
    name: /^(?:ConfigureServices|Configure|ConfigureContainer|CreateHostBuilder)$/,
  },
  {
    kind: 'service_lifecycle',
    of: 'function',
    base: /(?:BackgroundService|IHostedService|Middleware|ValidationAttribute|JsonConverter\w*|DbContext)$/,
    name: /^(?:ExecuteAsync|StartAsync|StopAsync|Invoke|InvokeAsync|IsValid|Read|Write|OnModelCreating|OnConfiguring)$/,
  },
]

export const PHP: readonly RootRule[] = [
  { kind: 'language_protocol', of: 'function', name: /^__\w+$/ },
  {
    kind: 'language_protocol',
    of: 'function',
    member: true,
    name: /^(?:getIterator|offsetGet|offsetSet|offsetExists|offsetUnset|jsonSerialize|count|current|key|next|rewind|valid|serialize|unserialize)$/,
  },
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'function',
    marker: /(?:^|\.)(?:Test|TestWith|DataProvider|Before|After|BeforeClass|AfterClass|PreCondition|PostCondition)$/,
  },
  {
    kind: 'test_runner',
    of: 'function',
    base: /TestCase$|Test$|^(?:Unit|Cest)$/,
    name: /^(?:test\w*|setUp\w*|tearDown\w*|assertPreConditions|assertPostConditions|_before|_after|provide\w*|\w+Provider)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'any',
    marker: /(?:^|\.)(?:Route|Get|Post|Put|Delete|Patch|Any|AsController|ApiResource|Cache|IsGranted)$/,
  },
  { kind: 'http_route', tags: ['route'], of: 'function', base: /Controller$/, name: /^[a-z]\w*$/, exported: true },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    path: /(?:^|\/)Controllers?\//,
    within: /Controller$/,
    name: /^[a-z]\w*$/,
  },
  {
    kind: 'dependency_injection',
    of: 'any',
    marker:
      /(?:^|\.)(?:AsCommand|AsEventListener|AsMessageHandler|AsDoctrineListener|AsEntityListener|AsTaggedItem|AutoconfigureTag|AsService|AsDecorator|AsAlias|AsSchedule|AsCronTask|AsPeriodicTask|Required|AsLiveComponent|AsTwigComponent|LiveAction|AsTwigFilter|AsTwigFunction|Entity|HasLifecycleCallbacks|(?:Pre|Post)(?:Persist|Update|Remove|Load|Flush))$/,
  },
  {
    kind: 'framework_handler',
    of: 'function',
    base: /(?:ServiceProvider|Command|Job|Migration|Seeder|FormRequest|Listener|Middleware|Notification|Mailable|Observer|Policy|Kernel|Bundle|Extension|Subscriber|SubscriberInterface|EventSubscriber|AbstractType|Voter|Factory|Resource|Plugin|PluginInterface)$/,
    name: /^(?:register|boot|handle|up|down|run|rules|authorize|messages|via|to[A-Z]\w*|build|envelope|content|definition|configure|execute|getSubscribedEvents|buildForm|configureOptions|supports|voteOnAttribute|load|activate|deactivate|uninstall|(?:creat|updat|delet|sav|restor|retriev)(?:ing|ed))$/,
  },
  {
    kind: 'framework_handler',
    of: 'function',
    path: /(?:^|\/)(?:Jobs|Listeners|Middleware|Commands|Observers|Policies|Providers|Mail|Notifications|Events)\//,
    name: /^(?:handle|boot|register|failed|broadcastOn|subscribe|terminate)$/,
  },
  {
    kind: 'database_migration',
    of: 'function',
    path: /(?:^|\/)migrations?\//i,
    name: /^(?:up|down|change|getDescription)$/,
  },
  {
    kind: 'object_mapper',
    of: 'function',
    base: /^(?:Model|Authenticatable|Pivot)$/,
    name: /^(?:scope[A-Z]\w*|[gs]et\w+Attribute|boot(?:ed)?|casts|newFactory|resolveRouteBinding)$/,
  },
]

export const RUBY: readonly RootRule[] = [
  {
    kind: 'language_protocol',
    of: 'function',
    name: /^(?:initialize|initialize_(?:copy|dup|clone)|method_missing|respond_to_missing\?|to_(?:s|str|a|ary|h|hash|i|f|proc|sym|json|path)|as_json|inspect|each|<=>|===?|eql\?|hash|call|coerce|included|inherited|extended|prepended|method_added|const_missing|marshal_dump|marshal_load|encode_with|init_with|[+\-*/%<>!~^&|]+|\[\]=?|=~)$/,
  },
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'function',
    path: /(?:^|\/)(?:test|tests|spec)\/|_test\.rb$|_spec\.rb$/,
    name: /^(?:test_\w+[?!]?|setup|teardown|before_setup|after_teardown)$/,
  },
  { kind: 'http_route', tags: ['route'], of: 'function', path: /(?:^|\/)app\/controllers\//, member: true },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    base: /(?:Controller|ActionController\.Base|ActionController\.API)$/,
  },
  {
    kind: 'framework_handler',
    of: 'function',
    path: /(?:^|\/)app\/(?:mailers|channels|helpers|views|components|policies|serializers|admin|graphql|validators|inputs)\//,
    member: true,
  },
  { kind: 'task_queue', of: 'function', name: /^(?:perform|perform_async|work)$/, member: true },
  {
    kind: 'database_migration',
    of: 'function',
    path: /(?:^|\/)db\/(?:migrate|post_migrate|data)\//,
    name: /^(?:change|up|down|data)$/,
  },
  {
    kind: 'command_line',
    of: 'function',
    base: /^(?:Thor|Generators?|NamedBase)$|(?:^|\.)(?:Thor|Generators)\./,
    exported: true,
  },
  { kind: 'plugin', of: 'function', base: /^(?:Railtie|Engine|Plugin|Cop|Rule|Middleware)$/ },
  { kind: 'plugin', of: 'function', within: /^ClassMethods$|Middleware$/ },
]

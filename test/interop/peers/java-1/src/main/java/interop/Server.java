package interop;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.a2a.grpc.utils.JSONRPCUtils;
import io.a2a.grpc.utils.ProtoUtils;
import io.a2a.jsonrpc.common.wrappers.A2AResponse;
import io.a2a.jsonrpc.common.wrappers.CancelTaskRequest;
import io.a2a.jsonrpc.common.wrappers.CreateTaskPushNotificationConfigRequest;
import io.a2a.jsonrpc.common.wrappers.GetExtendedAgentCardRequest;
import io.a2a.jsonrpc.common.wrappers.GetTaskRequest;
import io.a2a.jsonrpc.common.wrappers.ListTasksRequest;
import io.a2a.jsonrpc.common.wrappers.ListTasksResult;
import io.a2a.jsonrpc.common.wrappers.SendMessageRequest;
import io.a2a.jsonrpc.common.wrappers.SendStreamingMessageRequest;
import io.a2a.jsonrpc.common.wrappers.SendStreamingMessageResponse;
import io.a2a.jsonrpc.common.wrappers.SubscribeToTaskRequest;
import io.a2a.server.ServerCallContext;
import io.a2a.server.auth.UnauthenticatedUser;
import io.a2a.server.events.InMemoryQueueManager;
import io.a2a.server.events.MainEventBus;
import io.a2a.server.events.MainEventBusProcessor;
import io.a2a.server.requesthandlers.DefaultRequestHandler;
import io.a2a.server.requesthandlers.RequestHandler;
import io.a2a.server.tasks.BasePushNotificationSender;
import io.a2a.server.tasks.InMemoryPushNotificationConfigStore;
import io.a2a.server.tasks.InMemoryTaskStore;
import io.a2a.spec.A2AError;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentInterface;
import io.a2a.spec.AgentSkill;
import io.a2a.spec.EventKind;
import io.a2a.spec.InternalError;
import io.a2a.spec.StreamingEventKind;
import io.a2a.spec.Task;
import io.a2a.transport.grpc.handler.CallContextFactory;
import io.a2a.transport.grpc.handler.GrpcHandler;
import io.a2a.transport.jsonrpc.handler.JSONRPCHandler;
import io.a2a.transport.rest.handler.RestHandler;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts the handlers of the Java SDK on the server of the JDK, as its own servers need a framework. */
final class Server {
  private static final Pattern TASK = Pattern.compile("/tasks/([^/:]+)(?::(cancel|subscribe))?");

  private final ExecutorService workers = Executors.newCachedThreadPool();
  private final AgentCard card;
  private final RequestHandler handler;
  private final JSONRPCHandler rpc;
  private final RestHandler rest;

  private Server(String base, String overGrpc, JsonObject samples) throws ReflectiveOperationException {
    card = AgentCard.builder().name("Interop").description("Follows a script").version("1.2.3")
        .supportedInterfaces(List.of(new AgentInterface("JSONRPC", base + "/rpc"),
            new AgentInterface("HTTP+JSON", base + "/rest"), new AgentInterface("GRPC", overGrpc)))
        .capabilities(AgentCapabilities.builder().streaming(true).pushNotifications(false).build())
        .defaultInputModes(List.of("text/plain")).defaultOutputModes(List.of("text/plain"))
        .skills(List.of(AgentSkill.builder().id("script").name("Script").description("Follows a script")
            .tags(List.of("test")).build())).build();
    InMemoryTaskStore tasks = new InMemoryTaskStore();
    MainEventBus bus = new MainEventBus();
    InMemoryQueueManager queues = new InMemoryQueueManager(tasks, bus);
    InMemoryPushNotificationConfigStore configs = new InMemoryPushNotificationConfigStore();
    MainEventBusProcessor processor =
        new MainEventBusProcessor(bus, tasks, new BasePushNotificationSender(configs), queues);
    // Its container would call this after construction.
    Method start = MainEventBusProcessor.class.getDeclaredMethod("start");
    start.setAccessible(true);
    start.invoke(processor);
    handler = DefaultRequestHandler.create(new Scripted(samples), tasks, queues, configs, processor, workers, workers);
    rpc = new JSONRPCHandler(card, handler, workers);
    rest = new RestHandler(card, handler, workers);
  }

  static void serve(String port, String grpcPort, JsonObject samples) throws Exception {
    String base = "http://127.0.0.1:" + port;
    Server server = new Server(base, "127.0.0.1:" + grpcPort, samples);
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(port)), 0);
    http.setExecutor(server.workers);
    http.createContext("/.well-known/agent-card.json", exchange -> answer(exchange, server.rest.getAgentCard()));
    http.createContext("/rpc", server::onRpc);
    http.createContext("/rest", server::onRest);
    http.start();
    NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", Integer.parseInt(grpcPort)))
        .addService(server.overGrpc()).build().start();
    System.out.println(Neutral.GSON.toJson(Map.of("card", base)));
    System.out.flush();
    while (System.in.read() >= 0) continue;
  }

  private static ServerCallContext context(HttpExchange exchange) {
    Map<String, Object> state = new HashMap<>();
    Map<String, String> headers = new HashMap<>();
    exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
    state.put("headers", headers);
    return new ServerCallContext(UnauthenticatedUser.INSTANCE, state, Set.of(), exchange.getRequestHeaders().getFirst("A2A-Version"));
  }

  private void onRpc(HttpExchange exchange) {
    Object id = null;
    try {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var request = JSONRPCUtils.parseRequestBody(body, "");
      id = request.getId();
      ServerCallContext context = context(exchange);
      if (request instanceof SendStreamingMessageRequest own) stream(exchange, rpc.onMessageSendStream(own, context), Server::frame);
      else if (request instanceof SubscribeToTaskRequest own) stream(exchange, rpc.onSubscribeToTask(own, context), Server::frame);
      else send(exchange, 200, "application/json", unary(request, context));
    } catch (Exception thrown) {
      A2AError error = thrown instanceof A2AError own ? own : new InternalError(String.valueOf(thrown.getMessage()));
      send(exchange, 200, "application/json", JSONRPCUtils.toJsonRPCErrorResponse(id, error));
    }
  }

  private String unary(Object request, ServerCallContext context) {
    A2AResponse<?> response;
    if (request instanceof SendMessageRequest own) response = rpc.onMessageSend(own, context);
    else if (request instanceof GetTaskRequest own) response = rpc.onGetTask(own, context);
    else if (request instanceof ListTasksRequest own) response = rpc.onListTasks(own, context);
    else if (request instanceof CancelTaskRequest own) response = rpc.onCancelTask(own, context);
    else if (request instanceof CreateTaskPushNotificationConfigRequest own) response = rpc.setPushNotificationConfig(own, context);
    else if (request instanceof GetExtendedAgentCardRequest own) response = rpc.onGetExtendedCardRequest(own, context);
    else throw new InternalError("no such method here");
    if (response.getError() != null) return JSONRPCUtils.toJsonRPCErrorResponse(response.getId(), response.getError());
    Object result = response.getResult();
    var proto = result instanceof Task task && !(request instanceof SendMessageRequest) ? ProtoUtils.ToProto.task(task)
        : result instanceof EventKind event ? ProtoUtils.ToProto.taskOrMessage(event)
        : ProtoUtils.ToProto.listTasksResult((ListTasksResult) result);
    return JSONRPCUtils.toJsonRPCResultResponse(response.getId(), proto);
  }

  private static String frame(SendStreamingMessageResponse response) {
    if (response.getError() != null) return JSONRPCUtils.toJsonRPCErrorResponse(response.getId(), response.getError());
    return JSONRPCUtils.toJsonRPCResultResponse(
        response.getId(), ProtoUtils.ToProto.taskOrMessageStream((StreamingEventKind) response.getResult()));
  }

  private void onRest(HttpExchange exchange) {
    try {
      String path = exchange.getRequestURI().getPath().substring("/rest".length());
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Map<String, String> query = query(exchange.getRequestURI().getQuery());
      ServerCallContext context = context(exchange);
      Matcher task = TASK.matcher(path);
      RestHandler.HTTPRestResponse response;
      if (path.equals("/message:send")) response = rest.sendMessage(context, "", body);
      else if (path.equals("/message:stream")) response = rest.sendStreamingMessage(context, "", body);
      else if (path.equals("/tasks")) response = rest.listTasks(context, "", query.get("contextId"), null, number(query, "pageSize"),
          query.get("pageToken"), number(query, "historyLength"), null, null);
      else if (path.endsWith("/pushNotificationConfigs")) response = rest.createTaskPushNotificationConfiguration(context, "", body, path.split("/")[2]);
      else if (path.equals("/extendedAgentCard")) response = rest.getExtendedAgentCard(context, "");
      else if (!task.matches()) response = rest.createErrorResponse(new io.a2a.spec.MethodNotFoundError());
      else if (task.group(2) == null) response = rest.getTask(context, "", task.group(1), number(query, "historyLength"));
      else if (task.group(2).equals("cancel")) response = rest.cancelTask(context, "", task.group(1));
      else response = rest.subscribeToTask(context, "", task.group(1));
      if (response instanceof RestHandler.HTTPRestStreamingResponse own) stream(exchange, own.getPublisher(), text -> text);
      else answer(exchange, response);
    } catch (Exception thrown) {
      answer(exchange, rest.createErrorResponse(new InternalError(String.valueOf(thrown.getMessage()))));
    }
  }

  private static Map<String, String> query(String text) {
    Map<String, String> query = new HashMap<>();
    for (String pair : text == null ? new String[0] : text.split("&")) {
      String[] words = pair.split("=", 2);
      query.put(words[0], words.length > 1 ? words[1] : "");
    }
    return query;
  }

  private static Integer number(Map<String, String> query, String name) {
    return query.containsKey(name) ? Integer.valueOf(query.get(name)) : null;
  }

  private static void answer(HttpExchange exchange, RestHandler.HTTPRestResponse response) {
    send(exchange, response.getStatusCode(), response.getContentType(), response.getBody());
  }

  private static void send(HttpExchange exchange, int status, String type, String text) {
    try (exchange) {
      byte[] body = text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", type);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    } catch (java.io.IOException left) {
      return;
    }
  }

  /** Writes what is published as server-sent events, one at a time. */
  private static <T> void stream(HttpExchange exchange, Flow.Publisher<T> publisher, Function<T, String> text) {
    LinkedBlockingQueue<Object> frames = new LinkedBlockingQueue<>();
    Object end = new Object();
    publisher.subscribe(new Flow.Subscriber<T>() {
      private Flow.Subscription subscription;

      @Override
      public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(1);
      }

      @Override
      public void onNext(T item) {
        frames.add(text.apply(item));
        subscription.request(1);
      }

      @Override
      public void onError(Throwable error) {
        frames.add(end);
      }

      @Override
      public void onComplete() {
        frames.add(end);
      }
    });
    try (exchange) {
      exchange.getResponseHeaders().set("content-type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      for (Object frame = frames.take(); frame != end; frame = frames.take()) {
        out.write(("data: " + frame + "\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (Exception left) {
      return;
    }
  }

  private GrpcHandler overGrpc() {
    return new GrpcHandler() {
      @Override
      protected RequestHandler getRequestHandler() {
        return handler;
      }

      @Override
      protected AgentCard getAgentCard() {
        return card;
      }

      @Override
      protected AgentCard getExtendedAgentCard() {
        return null;
      }

      @Override
      protected CallContextFactory getCallContextFactory() {
        return null;
      }

      @Override
      protected java.util.concurrent.Executor getExecutor() {
        return workers;
      }
    };
  }
}

package interop;

import static interop.Neutral.artifactText;
import static interop.Neutral.seen;
import static interop.Neutral.stateOf;
import static interop.Neutral.textOf;

import com.google.gson.JsonObject;
import io.a2a.client.http.A2ACardResolver;
import io.a2a.client.transport.grpc.GrpcTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.spi.ClientTransport;
import io.a2a.spec.A2AError;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentInterface;
import io.a2a.spec.Artifact;
import io.a2a.spec.EventKind;
import io.a2a.spec.ListTasksParams;
import io.a2a.spec.Message;
import io.a2a.spec.MessageSendConfiguration;
import io.a2a.spec.MessageSendParams;
import io.a2a.spec.Part;
import io.a2a.spec.PushNotificationConfig;
import io.a2a.spec.StreamingEventKind;
import io.a2a.spec.Task;
import io.a2a.spec.TaskArtifactUpdateEvent;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskPushNotificationConfig;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TaskStatusUpdateEvent;
import io.a2a.spec.TextPart;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** Plays the steps of the matrix with the transports of the Java SDK. */
final class Client {
  private static final String UNKNOWN = "no-such-task";

  private final ExecutorService worker = Executors.newCachedThreadPool();
  private final AgentCard card;
  private final AgentInterface face;
  private final ClientTransport transport;
  private String done = "";
  private String slow = "";
  private Task asked;

  Client(String url, String binding, String version) throws Exception {
    card = new A2ACardResolver(url).getAgentCard();
    List<AgentInterface> faces = card.supportedInterfaces().stream()
        .filter(own -> own.protocolBinding().equals(binding) && own.protocolVersion().startsWith(version)).toList();
    print("card", "saw", Map.of("name", card.name(), "version", card.version(),
        "streaming", card.capabilities().streaming(), "interfaces", faces.size()));
    face = faces.get(0);
    transport = open();
  }

  private ClientTransport open() {
    return switch (face.protocolBinding()) {
      case "JSONRPC" -> new JSONRPCTransport(null, card, face, List.of());
      case "HTTP+JSON" -> new RestTransport(null, card, face, List.of());
      default -> {
        ManagedChannel channel = ManagedChannelBuilder.forTarget(face.url()).usePlaintext().build();
        yield new GrpcTransport(channel, card, "", List.of());
      }
    };
  }

  private static void print(String step, String key, Object value) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("step", step);
    line.put(key, value);
    System.out.println(Neutral.GSON.toJson(line));
    System.out.flush();
  }

  private void step(String name, Callable<Map<String, Object>> work) {
    try {
      print(name, "saw", worker.submit(work).get(20, TimeUnit.SECONDS));
    } catch (Exception thrown) {
      Throwable cause = thrown instanceof java.util.concurrent.ExecutionException ? thrown.getCause() : thrown;
      while (!(cause instanceof A2AError) && cause.getCause() != null && cause.getCause() != cause) cause = cause.getCause();
      Map<String, Object> error = new LinkedHashMap<>();
      error.put("name", cause.getClass().getSimpleName());
      if (cause instanceof A2AError own) error.put("code", own.getCode());
      error.put("text", String.valueOf(cause.getMessage()));
      print(name, "error", error);
    }
  }

  private static MessageSendParams request(String text, List<Part<?>> parts, String task, boolean blocking) {
    List<Part<?>> all = new ArrayList<>();
    all.add(new TextPart(text));
    all.addAll(parts);
    Message message = Message.builder().role(Message.Role.ROLE_USER).messageId(UUID.randomUUID().toString())
        .parts(all).taskId(task).build();
    return MessageSendParams.builder().message(message)
        .configuration(MessageSendConfiguration.builder().blocking(blocking).build()).build();
  }

  private EventKind send(String text, List<Part<?>> parts, String task) throws Exception {
    return transport.sendMessage(request(text, parts, task, true), null);
  }

  private Task get(String id) throws Exception {
    return transport.getTask(new TaskQueryParams(id), null);
  }

  private Map<String, Object> partsOf(EventKind event) {
    List<Map<String, Object>> parts = new ArrayList<>();
    if (event instanceof Task task) {
      for (Artifact artifact : task.artifacts()) for (Part<?> part : artifact.parts()) parts.add(Neutral.fromPart(part));
    }
    return Map.of("parts", parts);
  }

  /** What a stream showed so far. */
  private static final class Reading {
    final List<String> kinds = new ArrayList<>();
    final List<String> states = new ArrayList<>();
    String text = "";
    String task = "";
    int chunks;

    synchronized void take(StreamingEventKind event) {
      if (event instanceof Task own) {
        kinds.add("task");
        task = own.id();
        states.add(stateOf(own.status()));
        text = artifactText(own);
      } else if (event instanceof TaskStatusUpdateEvent update) {
        kinds.add("status");
        states.add(stateOf(update.status()));
      } else if (event instanceof TaskArtifactUpdateEvent update) {
        kinds.add("artifact");
        text += textOf(update.artifact().parts());
        chunks++;
      } else if (event instanceof Message message) {
        kinds.add("message");
        text += textOf(message.parts());
      }
    }

    boolean ended() {
      String last = states.isEmpty() ? "" : states.get(states.size() - 1);
      return List.of("completed", "failed", "canceled", "rejected").contains(last);
    }
  }

  private interface Opening {
    void open(java.util.function.Consumer<StreamingEventKind> events, java.util.function.Consumer<Throwable> errors)
        throws Exception;
  }

  /** Reads a stream until it has shown enough, ends or fails. */
  private static Reading read(Opening opening, Predicate<Reading> enough) throws Exception {
    Reading reading = new Reading();
    CountDownLatch over = new CountDownLatch(1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    opening.open(event -> {
      reading.take(event);
      if (enough.test(reading)) over.countDown();
    }, error -> {
      failure.set(error);
      over.countDown();
    });
    if (!over.await(10, TimeUnit.SECONDS)) throw new IllegalStateException("the stream neither ended nor failed");
    if (failure.get() != null && !enough.test(reading)) throw new Exception(failure.get());
    return reading;
  }

  private Reading subscribe(String id) throws Exception {
    return read((events, errors) -> transport.subscribeToTask(new TaskIdParams(id), events, errors, null), Reading::ended);
  }

  void play(JsonObject samples) {
    List<Part<?>> none = List.of();
    step("send", () -> {
      EventKind event = send("echo hällo 👋", none, null);
      if (event instanceof Task task) done = task.id();
      return seen(event);
    });
    step("send-now", () -> {
      EventKind event = transport.sendMessage(request("slow", none, null, false), null);
      if (event instanceof Task task) slow = task.id();
      return seen(event);
    });
    step("cancel", () -> {
      if (slow.isEmpty()) {
        slow = read((events, errors) ->
            transport.sendMessageStreaming(request("slow", none, null, true), events, errors, null), seen -> !seen.task.isEmpty()).task;
      }
      return seen(transport.cancelTask(new TaskIdParams(slow), null));
    });
    step("message", () -> seen(send("message hi", none, null)));
    step("stream", () -> {
      Reading reading = read((events, errors) ->
          transport.sendMessageStreaming(request("chunks", none, null, true), events, errors, null), Reading::ended);
      return Map.of("first", reading.kinds.get(0), "states", reading.states, "text", reading.text,
          "chunks", reading.chunks);
    });
    step("ask", () -> {
      EventKind event = send("ask", none, null);
      if (event instanceof Task task) asked = task;
      return seen(event);
    });
    step("reply", () -> {
      EventKind event = send("green", none, asked.id());
      Map<String, Object> saw = seen(event);
      saw.put("sameTask", event instanceof Task task && task.id().equals(asked.id()));
      return saw;
    });
    step("history", () -> {
      List<String> texts = get(asked.id()).history().stream().map(message -> textOf(message.parts())).toList();
      Task last = transport.getTask(new TaskQueryParams(asked.id(), 1), null);
      return Map.of("texts", texts, "limited", last.history().size());
    });
    step("list", () -> {
      var page = transport.listTasks(ListTasksParams.builder().contextId(asked.contextId()).tenant("").build(), null);
      return Map.of("found", page.tasks().stream().anyMatch(task -> task.id().equals(asked.id())),
          "total", page.totalSize());
    });
    step("subscribe", () -> {
      ClientTransport cut = open();
      Reading before = read((events, errors) ->
          cut.sendMessageStreaming(request("count 12", none, null, true), events, errors, null), seen -> seen.chunks >= 2);
      cut.close();
      Reading again = subscribe(before.task);
      return Map.of("state", again.states.get(again.states.size() - 1), "text", again.text,
          "final", artifactText(get(before.task)));
    });
    step("parts", () -> partsOf(send("parts", none, null)));
    step("value", () -> partsOf(send("value", none, null)));
    step("mirror", () -> partsOf(send("mirror", Neutral.samples(samples, "parts"), null)));
    step("size", () -> seen(send("size", Neutral.samples(samples, "parts").subList(1, 2), null)));
    step("fail", () -> seen(send("fail", none, null)));
    step("reject", () -> seen(send("reject", none, null)));
    step("error-get-unknown", () -> seen(get(UNKNOWN)));
    step("error-cancel-unknown", () -> seen(transport.cancelTask(new TaskIdParams(UNKNOWN), null)));
    step("error-cancel-done", () -> seen(transport.cancelTask(new TaskIdParams(done), null)));
    step("error-send-done", () -> seen(send("echo more", none, done)));
    step("error-send-unknown", () -> seen(send("echo more", none, UNKNOWN)));
    step("error-subscribe-unknown", () -> Map.of("events", subscribe(UNKNOWN).kinds));
    step("error-subscribe-done", () -> Map.of("events", subscribe(done).kinds));
    step("error-push", () -> {
      PushNotificationConfig config = PushNotificationConfig.builder().id("p").url("https://example.com/hook").build();
      return Map.of("got", transport.createTaskPushNotificationConfiguration(
          new TaskPushNotificationConfig(done, config, ""), null).taskId());
    });
    step("error-card", () -> Map.of("got", transport.getExtendedAgentCard(null).name()));
  }
}
